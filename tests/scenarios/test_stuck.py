"""A real process whose actor is stuck: its watchdog is not fed, and too many stuck threads end it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenarios.box import ROOT, Box, environ

pytestmark = pytest.mark.timeout(90)

STICKS = """
import sys, threading, supervisor
supervisor.Memory.facts = lambda self: threading.Event().wait(60) and {}
def runtime(made=supervisor.Runtime):
    found = made()
    found.zombies.most = 0
    return found
supervisor.Runtime = runtime
sys.exit(supervisor.main(sys.argv[1:]))
"""
"""The process, but its memory is stuck for a minute once it is inspected, and it bears no stuck thread."""


class Watched(Box):
    """A box whose memory gets stuck when inspected, under a service manager that the test plays."""

    def __init__(self, home: Path, manager: socket.socket) -> None:
        super().__init__(home, '[model]\nurl = "http://127.0.0.1:9/v1"\n')
        self.manager = manager
        env = {**environ(), "NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "400000"}
        command = [sys.executable, "-c", STICKS, "--home", str(home)]
        self._said = (home / "said").open("ab")
        self.process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=self._said, stderr=self._said)
        self.expect(b"READY=1")

    def expect(self, state: bytes) -> None:
        """Wait for it; the beats before it are passed over."""
        self.manager.settimeout(30)
        while self.manager.recv(100) != state:
            pass

    def beats(self) -> bool:
        """Whether the watchdog is fed from now on: the beats that were sent already do not count."""
        self.manager.settimeout(0.0)
        while True:
            try:
                self.manager.recv(100)
            except BlockingIOError:
                break
        self.manager.settimeout(2.0)
        try:
            return self.manager.recv(100) == b"WATCHDOG=1"
        except TimeoutError:
            return False


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Watched]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        (tmp_path / "home").mkdir(mode=0o700)
        watched = Watched(tmp_path / "home", manager)
        yield watched
        watched.stop(signal.SIGKILL)


def test_the_watchdog_is_fed_until_an_actor_is_stuck(box: Watched) -> None:
    assert box.beats()
    assert box.bxctl("inspect", "memory").returncode == 0
    assert not box.beats()
    assert "no answer to a ping within 0.2 s from memory" in box.said()


def test_an_actor_that_was_stopped_by_hand_does_not_end_the_process(box: Watched) -> None:
    assert box.bxctl("stop", "memory").returncode == 0
    assert box.beats()


def test_one_stuck_thread_too_many_ends_the_process_with_a_reason(box: Watched) -> None:
    assert box.bxctl("inspect", "memory").returncode == 0
    box.bxctl("restart", "memory")
    assert box.process is not None
    assert box.process.wait(timeout=30) == 1
    assert "boxmaker ends: 1 stuck threads, more than 0" in box.said().splitlines()[-1]
