"""After a box that was killed in the middle of a call: nothing of it is left."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest
from podman import PodmanClient

from bxio.podman.backend import PodmanBackend
from tests.bxio.podman.conftest import SETTLE_S, containers, settled
from tests.doubles.podman_box import Storage

pytestmark = pytest.mark.timeout(120)


def killed_in_the_middle(storage: Storage, backend: PodmanBackend, seconds: str) -> list[str]:
    """Start a call in a process of its own and kill that; the containers that it left."""
    before = set(containers(backend))
    command = [sys.executable, "-m", "tests.doubles.podman_box", str(storage.folder), seconds]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        until_s, pause = time.monotonic() + 30, threading.Event()
        while not (running(backend) - before) and time.monotonic() < until_s:
            pause.wait(0.02)
        process.kill()
        process.wait(timeout=10)
    return sorted(set(containers(backend)) - before)


def running(backend: PodmanBackend) -> set[str]:
    with PodmanClient(base_url=f"unix://{backend.site.socket}", timeout=20) as podman:
        return {container.id for container in podman.containers.list()}


def test_a_box_killed_in_a_call_leaves_nothing_after_the_next_sweep(
    storage: Storage, backend: PodmanBackend
) -> None:
    assert len(killed_in_the_middle(storage, backend, "50")) == 1
    assert backend.sweep() == 0, "another box's containers are not ours"
    again = storage.open("killed", "again.sock")
    try:
        assert again.sweep() == 1
        assert again.sweep() == 0
    finally:
        again.close()
    assert containers(backend) == []
    assert settled(storage) == []


def test_without_a_sweep_podman_itself_ends_what_a_killed_box_left(
    storage: Storage, backend: PodmanBackend
) -> None:
    (left,) = killed_in_the_middle(storage, backend, "1")
    until_s, pause = time.monotonic() + SETTLE_S, threading.Event()
    while left in running(backend) and time.monotonic() < until_s:
        pause.wait(0.1)
    assert left not in running(backend)
    swept = storage.open("killed", "after.sock")
    try:
        assert swept.sweep() == 1
    finally:
        swept.close()
