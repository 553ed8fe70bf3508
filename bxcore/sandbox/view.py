"""What the runner has found out about its sandbox, for status and doctor (spec 2.5, 6.3)."""

from __future__ import annotations

from dataclasses import dataclass

from bxcore.sandbox.guarantees import Guarantee


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxView:
    """Published by the runner whenever it changes; nothing secret in it.

    ``backend`` is ``podman``, ``bubblewrap``, or None when there is none; ``version`` and ``image`` are what
    was found of it. ``proven`` is what the probe proved, ``missing`` gives for each guarantee that it could
    not one sentence why, and ``accepted`` is what the owner does without. ``ready`` says whether tools run;
    ``sentence`` says so in words, and when they do not, what to do. ``details`` are further facts by name,
    such as ``runtime``: ``crun`` and ``cgroup``: ``v2``. ``sought`` is False while no grant needs a sandbox
    and so none was looked for.
    """

    backend: str | None
    version: str | None = None
    image: str | None = None
    proven: tuple[Guarantee, ...] = ()
    missing: tuple[tuple[Guarantee, str], ...] = ()
    accepted: tuple[Guarantee, ...] = ()
    ready: bool
    sentence: str
    details: tuple[tuple[str, str], ...] = ()
    sought: bool = True
