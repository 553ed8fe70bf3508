"""How each backend is made, by its name in ``[containers] backend``; loaded when one is looked for."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bxio.cut import Cut
from bxio.sandbox import Backend, Maker

PODMAN_S = 40.0
"""For podman's service to start and to say what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxPlace:
    """Where a backend lives: the box's ``run`` and ``state`` folders, and the file of podman's ``log``.

    ``socket`` and ``image`` are those of ``[containers]``.
    """

    run: Path
    state: Path
    log: Path
    socket: Path | None = None
    image: str | None = None


def makers(place: SandboxPlace) -> Mapping[str, Maker]:
    """A maker each of ``podman`` and ``bubblewrap``; it raises ``SandboxError`` when there is none."""
    return {"podman": lambda cut: _podman(place, cut), "bubblewrap": _bubblewrap}


def _podman(place: SandboxPlace, cut: Cut) -> Backend:
    from bxio.podman.backend import PodmanBackend, PodmanOrder
    from bxio.podman.service import ServiceOrder

    service = ServiceOrder(run=place.run, log=place.log, configured=place.socket)
    order = PodmanOrder(service=service, state=place.state, image=place.image)
    return PodmanBackend.open(order, time.monotonic() + PODMAN_S, cut)


def _bubblewrap(cut: Cut) -> Backend:
    from bxio import bubblewrap

    return bubblewrap.make(cut)
