from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bxio.instance_lock import AlreadyRunningError, InstanceLock

ROOT = Path(__file__).resolve().parents[2]
HOLDER = """
import sys
from pathlib import Path
from bxio.instance_lock import InstanceLock
InstanceLock(Path(sys.argv[1])).take() or print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def test_the_second_process_is_told_who_holds_it(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(AlreadyRunningError) as caught:
            InstanceLock(tmp_path).take()
        holder.kill()
    assert caught.value.pid == holder.pid
    assert caught.value.sentence == (
        f"another boxmaker (pid {holder.pid}) runs on {tmp_path}; "
        "stop it first, or choose another folder with --home"
    )


def test_the_lock_dies_with_its_process(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.send_signal(signal.SIGKILL)
        holder.wait(timeout=10)
    lock = InstanceLock(tmp_path)
    lock.take()
    assert lock.held
    assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
    lock.release()


def test_it_can_be_taken_again_after_its_release(tmp_path: Path) -> None:
    first, second = InstanceLock(tmp_path), InstanceLock(tmp_path)
    first.take()
    with pytest.raises(AlreadyRunningError):
        second.take()
    assert not second.held
    first.release()
    first.release()
    assert not first.held
    second.take()
    second.release()


def test_a_holder_that_wrote_no_pid_is_another_boxmaker(tmp_path: Path) -> None:
    lock = InstanceLock(tmp_path)
    lock.take()
    (tmp_path / "lock").write_text("not a number")
    with pytest.raises(AlreadyRunningError) as caught:
        InstanceLock(tmp_path).take()
    lock.release()
    assert caught.value.pid is None
    assert caught.value.sentence.startswith(f"another boxmaker runs on {tmp_path};")


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("precious")
    (tmp_path / "lock").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="symbolic"):
        InstanceLock(tmp_path).take()
    assert (tmp_path / "target").read_text() == "precious"


FULL_DISK = """
import resource, sys
from pathlib import Path
from bxio.instance_lock import InstanceLock
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
lock = InstanceLock(Path(sys.argv[1]))
lock.take()
print(lock.held)
lock.release()
print(lock.held)
"""


def test_a_full_disk_keeps_nobody_from_the_lock(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        cwd=ROOT,
    )
    assert done.stdout.split() == ["True", "False"], done.stderr
    InstanceLock(tmp_path).take()
