"""What a box that was killed has left of its runs: nothing, or it is swept."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bxio.bubblewrap import leftover
from tests.house.source import ROOT

LONG_S = 25.0

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not on this machine; install bubblewrap"
)


def processes(word: str) -> list[int]:
    """Every process of this machine that has ``word`` on its command line."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if word.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


def gone(word: str) -> bool:
    deadline_s = time.monotonic() + 5
    pause = threading.Event()
    while processes(word):
        if time.monotonic() > deadline_s:
            return False
        pause.wait(0.01)
    return True


@pytest.mark.parametrize("owner_lives", [True, False])
def test_a_run_without_its_owner_is_swept_and_no_other(*, owner_lives: bool) -> None:
    pid, started = leftover.label().removeprefix("sandbox-").split("-")
    label = f"sandbox-{pid}-{started if owner_lives else int(started) + 1}"
    word = f"1235.{os.getpid()}"
    command = ["bwrap", "--unshare-all", "--hostname", label, "--ro-bind", "/", "/", "sleep", word]
    with subprocess.Popen(command) as left:
        pause = threading.Event()
        try:
            while not processes(f"sleep\0{word}\0"):  # bubblewrap itself, which may still be setting up
                pause.wait(0.01)
            swept = leftover.sweep()
            assert owner_lives or swept > 0
            if owner_lives:
                assert left.poll() is None
                assert processes(word)
            else:
                assert left.wait(LONG_S) == -signal.SIGKILL
                assert gone(word)
        finally:
            for process in processes(word):
                with contextlib.suppress(ProcessLookupError):  # it ended with the one before
                    os.kill(process, signal.SIGKILL)


OWNER = """
import sys, time
from bxcore.sandbox import Job
from bxio.bubblewrap import make
from bxio.cut import Cut
job = Job(name="t", command=("sh", "-c", "echo begun >&2; sleep 1234.5675"))
print("made", flush=True)
make(Cut()).run(job, time.monotonic() + 60, Cut())
"""


def test_when_the_box_is_killed_nothing_of_a_run_is_left() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as owner:
        pause = threading.Event()
        deadline_s = time.monotonic() + LONG_S
        while not processes("sleep\0001234.5675\0"):
            assert time.monotonic() < deadline_s
            pause.wait(0.02)
        owner.send_signal(signal.SIGKILL)
        owner.wait(LONG_S)
    assert gone("1234.5675")
