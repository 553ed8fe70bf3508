"""One podman service for all tests here, on a storage of its own, with the tools' image built once."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from podman import PodmanClient

from bxcore.sandbox import Job, Limits, Ran
from bxio.cut import Cut
from bxio.podman.backend import PodmanBackend
from bxio.podman.images import build_image
from bxio.podman.service import open_service
from tests.doubles.podman_box import Storage

RunIt: TypeAlias = Callable[..., Ran]

SETTLE_S = 20.0

MISSING = [name for name in ("podman", "busybox") if shutil.which(name) is None]


@pytest.fixture(scope="session")
def storage() -> Iterator[Storage]:
    if MISSING:
        pytest.skip(f"{' and '.join(MISSING)} not installed")
    made = Storage(folder=Path(tempfile.mkdtemp(prefix="bx-podman-")).resolve())
    service = open_service(made.order("first.sock"), os.environ, Cut())
    try:
        build_image(service.socket, deadline_s=time.monotonic() + 60, cut=Cut())
    finally:
        service.close()
    yield made
    made.remove()


@pytest.fixture(scope="session")
def backend(storage: Storage) -> Iterator[PodmanBackend]:
    made = storage.open("state")
    yield made
    made.close()


@pytest.fixture
def run(backend: PodmanBackend) -> RunIt:
    """Run a command: ``run("sh", "-c", …, time_s=…, mounts=…)``."""

    def start(*command: str, cut: Cut | None = None, deadline_s: float = 60.0, **more: Any) -> Ran:
        limits = Limits(**{key: more.pop(key) for key in ("time_s", "memory_mb", "pids") if key in more})
        job = Job(name="test", command=command, limits=limits, **more)
        return backend.run(job, time.monotonic() + deadline_s, cut or Cut())

    return start


def settled(storage: Storage) -> list[str]:
    """What still runs for the storage when it has had time to end."""
    until_s, pause = time.monotonic() + SETTLE_S, threading.Event()
    while (found := storage.processes()) and time.monotonic() < until_s:
        pause.wait(0.05)
    return found


def containers(backend: PodmanBackend) -> list[str]:
    with PodmanClient(base_url=f"unix://{backend.site.socket}", timeout=20) as podman:
        return [container.id for container in podman.containers.list(all=True)]
