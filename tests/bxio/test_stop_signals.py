from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(code: str) -> subprocess.CompletedProcess[str]:
    head = "import os, signal\nfrom bxio.stop_signals import StopSignals\nsignals = StopSignals()\n"
    return subprocess.run(
        [sys.executable, "-c", head + code],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        cwd=ROOT,
    )


def test_the_first_signal_asks_for_a_stop_in_order() -> None:
    done = run("os.kill(os.getpid(), signal.SIGTERM)\nsignals.block_until_wanted()\nprint('in order')")
    assert (done.returncode, done.stdout) == (0, "in order\n")


def test_a_second_signal_ends_at_once() -> None:
    done = run("for n in (signal.SIGINT, signal.SIGTERM): os.kill(os.getpid(), n)\nprint('not reached')")
    assert (done.returncode, done.stdout) == (143, "")


def test_a_first_signal_after_the_end_has_come_ends_nothing_at_once() -> None:
    done = run("signals.wanted.set()\nos.kill(os.getpid(), signal.SIGTERM)\nprint('in order')")
    assert (done.returncode, done.stdout) == (0, "in order\n")
