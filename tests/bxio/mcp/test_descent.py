"""Which processes are below one, against real ones."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from bxio.mcp.descent import alive, below, children, start_of


@pytest.fixture
def shell() -> Iterator[subprocess.Popen[bytes]]:
    """A shell with a child; it says when that is there, and ends with its input."""
    script = "sleep 600 & echo there; read line"
    with subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        yield process
        for pid in (*children(process.pid), process.pid):
            os.kill(pid, signal.SIGKILL)


def test_children_of_children_are_below_and_only_living_ones(shell: subprocess.Popen[bytes]) -> None:
    assert shell.pid in below(os.getpid())
    (child,) = children(shell.pid)
    assert {shell.pid, child} <= set(below(os.getpid()))
    for pid in (child, shell.pid):
        os.kill(pid, signal.SIGKILL)
    assert os.waitid(os.P_PID, shell.pid, os.WEXITED | os.WNOWAIT) is not None
    assert shell.pid in children(os.getpid())
    assert shell.pid not in below(os.getpid())
    assert not alive(shell.pid)


def test_a_process_is_told_from_a_later_one_by_its_start(shell: subprocess.Popen[bytes]) -> None:
    started = start_of(shell.pid)
    assert int(started) >= int(start_of(os.getpid())) > 0
    assert start_of(shell.pid) == started


def test_of_none_that_is_there_nothing_is_known() -> None:
    none = 2**22 + 1
    assert (below(none), alive(none), start_of(none)) == ([], False, "")
