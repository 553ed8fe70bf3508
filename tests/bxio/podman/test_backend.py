"""The backend as the runner uses it: many calls, from many threads, and after a box that was killed."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bxcore.sandbox import Job, SandboxError
from bxio.cut import Cut
from bxio.podman.backend import PodmanBackend, PodmanOrder, box_label
from bxio.sandbox import Backend
from tests.bxio.podman.conftest import RunIt, containers, settled
from tests.doubles.podman_box import Storage

pytestmark = pytest.mark.timeout(180)

CALLS, AT_ONCE = 100, 6
SETTLE_S = 20.0


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_it_is_a_backend(backend: PodmanBackend) -> None:
    found: Backend = backend
    assert found.name == "podman"
    assert found.broken() is None
    assert {"version", "image", "runtime", "cgroups", "controllers", "rootless", "service"} == set(
        found.facts()
    )


def test_a_hundred_calls_leave_no_container_no_descriptor_and_no_process(
    storage: Storage, backend: PodmanBackend, run: RunIt
) -> None:
    run("true")
    before = descriptors()
    said = [run("echo", str(n)).stdout.data for n in range(CALLS)]
    assert said == [f"{n}\n".encode() for n in range(CALLS)]
    assert descriptors() == before
    assert containers(backend) == []
    assert settled(storage) == []


def test_six_at_once_each_get_their_own_answer(backend: PodmanBackend, run: RunIt) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        futures = [
            pool.submit(run, "sh", "-c", f"cat; echo {n} >&2; exit {n}", stdin=str(n).encode())
            for n in range(3 * AT_ONCE)
        ]
        found = [future.result(timeout=60) for future in futures]
    assert [(ran.exit_code, ran.stdout.data, ran.stderr.data) for ran in found] == [
        (n, str(n).encode(), f"{n}\n".encode()) for n in range(3 * AT_ONCE)
    ]
    assert containers(backend) == []


def test_an_image_that_is_not_there_is_said_when_it_is_opened(storage: Storage) -> None:
    order = PodmanOrder(service=storage.order("x.sock"), state=storage.folder, image="localhost/other:1")
    with pytest.raises(SandboxError, match="podman has no image localhost/other:1; mend the name"):
        PodmanBackend.open(order, time.monotonic() + 30, Cut())
    assert not (storage.folder / "run" / "x.sock").exists()


def test_a_closed_backend_is_broken_and_says_so(storage: Storage) -> None:
    made = storage.open("closed", "closed.sock")
    made.close()
    made.close()
    assert made.broken() is not None
    with pytest.raises(SandboxError):
        made.run(Job(name="x", command=("true",)), time.monotonic() + 5, Cut())
    with pytest.raises(SandboxError):
        made.sweep()


def test_a_box_is_known_by_its_state_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert box_label(tmp_path) == box_label(tmp_path / "link")
    assert box_label(tmp_path) != box_label(tmp_path / "other")
