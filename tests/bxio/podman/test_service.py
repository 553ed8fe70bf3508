from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bxcore.sandbox import SandboxError
from bxio.cut import Cut
from bxio.podman.service import ServiceOrder, answers, open_service, usual_sockets
from tests.doubles.podman_box import Storage

pytestmark = pytest.mark.timeout(90)
WAIT_S = 20.0


def order(folder: Path, **more: object) -> ServiceOrder:
    made = ServiceOrder(run=folder / "run", log=folder / "podman.log", options=("--root", str(folder / "r")))
    return replace(made, **more)  # type: ignore[arg-type]


def program(folder: Path, script: str) -> dict[str, str]:
    """An environment in which podman is this script."""
    (folder / "bin").mkdir()
    path = folder / "bin" / "podman"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}


def gone(pid: int) -> bool:
    """Whether a process has ended within the wait."""
    until_s = time.monotonic() + WAIT_S
    pause = threading.Event()
    while time.monotonic() < until_s:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
        except OSError:
            return True
        if state == "Z":
            return True
        pause.wait(0.02)
    return False


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(each) for each in listed]


def name_of(pid: int) -> str:
    """Of a process; nothing when it has just ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


def test_our_own_service_answers_in_a_private_folder_and_ends_with_its_close(storage: Storage) -> None:
    service = open_service(storage.order("own.sock"), os.environ, Cut())
    assert service.pid is not None
    below = children(service.pid)
    try:
        assert answers(service.socket, 5.0)
        assert stat.S_IMODE(service.socket.parent.stat().st_mode) == 0o700
        assert service.broken() is None
        assert os.getpgid(service.pid) == service.pid != os.getpgid(0)
    finally:
        service.close()
    service.close()
    assert all(gone(pid) for pid in (service.pid, *below))
    assert not service.socket.exists()
    assert "ended" in (service.broken() or "")


def test_a_service_that_is_killed_is_broken(storage: Storage) -> None:
    service = open_service(storage.order("killed-one.sock"), os.environ, Cut())
    assert service.pid is not None
    try:
        for pid in children(service.pid):
            if "podman" in name_of(pid):
                os.kill(pid, signal.SIGKILL)
        assert gone(service.pid)
        assert service.broken() == "podman's service has ended (exit code 137); its log says why"
    finally:
        service.close()


STARTS = """
import os, sys
from pathlib import Path
from bxio.cut import Cut
from bxio.podman.service import open_service
from tests.doubles.podman_box import Storage
service = open_service(Storage(folder=Path(sys.argv[1])).order("orphan.sock"), os.environ, Cut())
print(service.pid, flush=True)
sys.stdin.read()
"""


def test_it_ends_when_the_box_is_killed(storage: Storage) -> None:
    command = [sys.executable, "-c", STARTS, str(storage.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        keeper = int(process.stdout.readline())
        below = children(keeper)
        assert len(below) == 2
        process.kill()
        process.wait(timeout=10)
    assert all(gone(pid) for pid in (keeper, *below))


def test_a_configured_service_is_taken_and_left_alone(storage: Storage, tmp_path: Path) -> None:
    first = open_service(storage.order("other.sock"), os.environ, Cut())
    try:
        second = open_service(order(tmp_path, configured=first.socket), os.environ, Cut())
        assert not second.is_ours
        assert second.pid is None
        second.close()
        assert answers(first.socket, 5.0)
    finally:
        first.close()
    assert "cannot be reached" in (second.broken() or "")


def test_a_configured_socket_that_does_not_answer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"does not answer at .*none\.sock, which \[containers\] socket"):
        open_service(order(tmp_path, configured=tmp_path / "none.sock"), os.environ, Cut())


@pytest.fixture
def silent(tmp_path: Path) -> Iterator[Path]:
    """A socket that takes connections and says nothing."""
    path = tmp_path / "silent.sock"
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))
        sock.listen(8)
        yield path


def test_a_socket_that_says_nothing_does_not_hold_us(silent: Path) -> None:
    assert not answers(silent, 0.2)


def test_the_usual_places_are_the_users_and_the_systems() -> None:
    found = [str(path) for path in usual_sockets({"XDG_RUNTIME_DIR": "/run/user/7"})]
    assert found == ["/run/user/7/podman/podman.sock", "/run/podman/podman.sock"]
    assert len(list(usual_sockets({}))) == 1


def test_a_machine_without_podman_hears_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        SandboxError, match=r"podman is not installed; install it \(Debian, Ubuntu: apt install"
    ):
        open_service(order(tmp_path), {}, Cut())


def test_a_podman_that_ends_at_once_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = program(tmp_path, "echo 'Error: no room' >&2; exit 125")
    monkeypatch.setenv("PATH", environ["PATH"])
    with pytest.raises(SandboxError, match=r"ended at once \(exit code 125\): Error: no room"):
        open_service(order(tmp_path), environ, Cut())


def test_a_start_that_hangs_can_be_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = program(tmp_path, "exec sleep 60")
    monkeypatch.setenv("PATH", environ["PATH"])
    cut = Cut()
    timer = threading.Timer(0.3, cut.cut)
    timer.start()
    with pytest.raises(SandboxError, match="broken off"):
        open_service(order(tmp_path), environ, cut)
    timer.join(timeout=5)


def test_a_folder_that_is_too_deep_gets_a_socket_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = tmp_path / "said"
    environ = program(tmp_path, f'for last; do :; done; echo "$last" >{said}; exit 1')
    monkeypatch.setenv("PATH", environ["PATH"])
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    with pytest.raises(SandboxError, match="ended at once"):
        open_service(order(tmp_path, run=deep), environ, Cut())
    path = Path(said.read_text().strip().removeprefix("unix://"))
    assert len(os.fsencode(path)) <= 107
    assert not path.parent.exists()


def test_podman_gets_no_secret_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = program(tmp_path, f"env >{tmp_path}/env; exit 1")
    monkeypatch.setenv("PATH", environ["PATH"])
    with pytest.raises(SandboxError):
        open_service(order(tmp_path), {**environ, "BOXMAKER_MODEL__API_KEY": "sk-x", "HOME": "/h"}, Cut())
    seen = (tmp_path / "env").read_text()
    assert "HOME=/h" in seen
    assert "BOXMAKER" not in seen


def test_a_log_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", program(tmp_path, "exit 1")["PATH"])
    (tmp_path / "file").write_text("")
    with pytest.raises(SandboxError, match="podman could not be started: "):
        open_service(order(tmp_path, log=tmp_path / "file" / "x.log"), os.environ, Cut())
