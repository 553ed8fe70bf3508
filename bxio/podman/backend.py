"""Podman as a backend of the runner (``bxio.sandbox.Backend``): made once, then run from any thread."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from podman import PodmanClient

from bxcore.sandbox import Job, Probe, Ran
from bxcore.sandbox.tool_image import DEFAULT_IMAGE
from bxio.cut import Cut
from bxio.podman.client import client, saying
from bxio.podman.images import resolve_image
from bxio.podman.probe import probe
from bxio.podman.run import run
from bxio.podman.service import Service, ServiceOrder, open_service
from bxio.podman.site import Site
from bxio.podman.sweep import sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class PodmanOrder:
    """What a backend is made of.

    ``state`` is the box's state folder, which tells its containers from another box's; ``image`` None is the
    one that ``boxmaker image build`` makes.
    """

    service: ServiceOrder
    state: Path
    image: str | None = None


class PodmanBackend:
    """Runs each job in a fresh container; holds no connection and no thread between two runs."""

    name = "podman"

    def __init__(self, service: Service, site: Site, folder: Path) -> None:
        self._service = service
        self._site = site
        self._folder = folder

    @classmethod
    def open(cls, order: PodmanOrder, deadline_s: float, cut: Cut) -> Self:
        """Find or start a service, and look up the image. Raises ``SandboxError``, with what to do."""
        service = open_service(order.service, os.environ, cut)
        try:
            with client(service.socket, deadline_s, cut) as podman:
                site = _site(podman, service, order)
        except BaseException:
            service.close()
            raise
        return cls(service, site, order.service.run)

    @property
    def site(self) -> Site:
        """What its runs have in common."""
        return self._site

    def run(self, job: Job, deadline_s: float, cut: Cut) -> Ran:
        """Run ``job`` in a fresh container; any thread. Raises ``SandboxError``."""
        return run(self._site, job, deadline_s, cut)

    def probe(self, cut: Cut) -> Probe:
        """Prove each guarantee in one container. Raises ``SandboxError``."""
        return probe(self._site, self._folder, cut)

    def sweep(self) -> int:
        """Remove this box's containers, which nobody waits for; how many. Raises ``SandboxError``."""
        return sweep(self._site.socket, self._site.box)

    def broken(self) -> str | None:
        """Why it can run nothing any more; None while it can."""
        return self._service.broken()

    def facts(self) -> Mapping[str, str]:
        """``version``, ``image``, ``runtime``, ``cgroups``, ``controllers``, ``rootless``, ``service``."""
        return self._site.facts

    def close(self) -> None:
        """End our own service; somebody else's stays."""
        self._service.close()


def box_label(state: Path) -> str:
    """The label of a box: of its state folder's real path, so that it is the same after a restart."""
    return hashlib.sha256(os.fsencode(state.resolve())).hexdigest()[:16]


def _site(podman: PodmanClient, service: Service, order: PodmanOrder) -> Site:
    name = order.image or DEFAULT_IMAGE
    with saying("say what it is"):
        info: Mapping[str, Any] = podman.info()  # type: ignore[no-untyped-call]
    image = resolve_image(podman, name)
    facts = _facts(info, service) | {"image": f"{name} ({image.removeprefix('sha256:')[:12]})"}
    return Site(
        socket=service.socket,
        image=image,
        image_name=name,
        box=box_label(order.state),
        rootless=facts["rootless"] == "yes",
        cgroups=facts["cgroups"],
        controllers=frozenset(facts["controllers"].split()),
        facts=facts,
    )


def _facts(info: Mapping[str, Any], service: Service) -> dict[str, str]:
    host = info.get("host", {})
    return {
        "version": str(info.get("version", {}).get("Version", "unknown")),
        "runtime": str(host.get("ociRuntime", {}).get("name", "unknown")),
        "cgroups": str(host.get("cgroupVersion", "unknown")),
        "controllers": " ".join(host.get("cgroupControllers") or ()),
        "rootless": "yes" if host.get("security", {}).get("rootless") else "no",
        "service": "started by boxmaker" if service.is_ours else str(service.socket),
    }
