"""A fresh container's `echo` through our backend against the same steps by podman's own package alone."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from podman import PodmanClient

from bench.row import Row, percentile
from bxcore.sandbox import Job, SandboxError
from bxio.cut import Cut
from bxio.podman.backend import PodmanBackend
from bxio.podman.images import build_image
from bxio.podman.service import open_service
from tests.doubles.podman_box import Storage

ROWS = ("podman_echo_p50",)
CALLS = 60
WARM = 5
WAIT_S = 30.0
COMMAND = ("echo", "hi")


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the row; without podman there is none, and the reason is said."""
    del wanted
    missing = [name for name in ("podman", "busybox") if shutil.which(name) is None]
    if missing:
        print(f"podman_echo_p50 is not measured: {' and '.join(missing)} not installed", file=sys.stderr)
        return
    try:
        with kept() as backend:
            yield measured(backend)
    except SandboxError as problem:
        print(f"podman_echo_p50 is not measured: {problem.sentence}", file=sys.stderr)


@contextmanager
def kept() -> Iterator[PodmanBackend]:
    """A service on a storage of its own, so that nothing of the machine's is touched."""
    storage = Storage(folder=Path(tempfile.mkdtemp(prefix="bx-bench-")).resolve())
    try:
        service = open_service(storage.order("first.sock"), os.environ, Cut())
        try:
            build_image(service.socket, deadline_s=time.monotonic() + WAIT_S, cut=Cut())
        finally:
            service.close()
        backend = storage.open("state")
        try:
            yield backend
        finally:
            backend.close()
    finally:
        storage.remove()


def measured(backend: PodmanBackend) -> Row:
    """They take turns, so that what else the machine does falls on both."""
    ours: list[float] = []
    bare: list[float] = []
    with PodmanClient(base_url=f"unix://{backend.site.socket}", timeout=WAIT_S) as podman:
        for number in range(WARM + CALLS):
            turns: list[tuple[list[float], Callable[[], bytes]]] = [
                (ours, partial(through_ours, backend)),
                (bare, partial(by_the_package, podman, backend)),
            ]
            for samples, work in turns if number % 2 else turns[::-1]:
                begun = time.perf_counter()
                assert work() == b"hi\n"
                if number >= WARM:
                    samples.append(time.perf_counter() - begun)
    return Row(
        row="podman_echo_p50",
        value=percentile(ours, 50) * 1e3,
        unit="ms",
        reference="create, init, attach, start, wait, inspect, remove by the podman package",
        reference_value=percentile(bare, 50) * 1e3,
        goal=1.15,
        of="ratio",
    )


def through_ours(backend: PodmanBackend) -> bytes:
    job = Job(name="bench", command=COMMAND)
    return backend.run(job, time.monotonic() + WAIT_S, Cut()).stdout.data


def by_the_package(podman: PodmanClient, backend: PodmanBackend) -> bytes:
    """The same limits by its own names; its attach is not implemented, so that one step is a bare socket."""
    container = podman.containers.create(
        backend.site.image,
        list(COMMAND),
        entrypoint=[],
        environment={"HOME": "/tmp"},
        user="1000:1000",
        read_only=True,
        network_mode="none",
        cap_drop=["all"],
        no_new_privileges=True,
        pids_limit=64,
        mem_limit=256 << 20,
        memswap_limit=256 << 20,
        log_config={"Type": "none"},
        stop_timeout=0,
        use_config_proxy=False,
        ulimits=[{"Name": name, "Soft": 1024, "Hard": 1024} for name in ("nofile", "nproc")],
        mounts=[{"type": "tmpfs", "source": "tmpfs", "target": "/tmp", "size": "64m"}],
    )
    try:
        container.init()
        with attached(backend.site.socket, container.id) as wire:
            container.start()
            said = b"".join(iter(lambda: wire.recv(65_536), b""))
        assert container.wait(condition=["stopped", "exited"], interval="20ms", timeout=WAIT_S) == 0
        container.reload()
        return said[8:]
    finally:
        container.remove(force=True, v=True)


@contextmanager
def attached(path: Path, name: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as wire:
        wire.settimeout(WAIT_S)
        wire.connect(str(path))
        wire.sendall(
            f"POST /v4.0.0/libpod/containers/{name}/attach?stream=true&stdout=true&stderr=true HTTP/1.1\r\n"
            "Host: d\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n".encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += wire.recv(1)
        yield wire
