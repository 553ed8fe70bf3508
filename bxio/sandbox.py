"""What every sandbox backend can do; the runner knows no more of one than this (spec 2.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from bxcore.sandbox import Job, Probe, Ran
from bxio.cut import Cut


class Backend(Protocol):
    """One way to run a job apart from the box. ``run`` may be called from several threads at once.

    What it was made from (a program, an image, a runtime) was found by its maker, so that a made one is ready
    to ``probe``. Every method but ``run`` and ``close`` is called from the runner's own thread.
    """

    @property
    def name(self) -> str:
        """``podman`` or ``bubblewrap``."""

    def run(self, job: Job, deadline_s: float, cut: Cut) -> Ran:
        """Run ``job`` once and leave nothing behind; the calling thread blocks.

        It is killed, with everything that it started, at ``job.limits.time_s`` or at ``deadline_s``
        (absolute, monotonic), the earlier (``timed_out``), and within a second of ``cut``: then ``exit_code``
        is None and ``timed_out`` False. Raises ``SandboxError`` when it did not run or its end is unknown.
        """

    def probe(self, cut: Cut) -> Probe:
        """Prove each guarantee by a run of its own; a few seconds. Raises ``SandboxError``."""

    def sweep(self) -> int:
        """Remove what an earlier process of this box left running; how many. Raises ``SandboxError``."""

    def broken(self) -> str | None:
        """Why it can run nothing any more, such as its service's end; None while it can. Quick; any thread.

        The runner closes a broken one and makes another, with a rest that grows.
        """

    def facts(self) -> Mapping[str, str]:
        """What it is made of, for the operator: ``version``, ``image``, ``runtime``, ``cgroups`` and such."""

    def close(self) -> None:
        """Let go of what it holds, a service's process too. Any thread; may be called twice."""
