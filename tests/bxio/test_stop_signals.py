from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(code: str, before: str = "") -> subprocess.CompletedProcess[str]:
    head = f"import os, signal\nfrom bxio.stop_signals import StopSignals\n{before}signals = StopSignals()\n"
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


def test_a_signal_that_waited_for_the_handler_asks_for_a_stop_in_order() -> None:
    for name in ("SIGTERM", "SIGINT"):
        done = run(
            "print('in order' if signals.wanted else 'deaf')",
            before=f"signal.pthread_sigmask(signal.SIG_BLOCK, [signal.{name}])\n"
            f"os.kill(os.getpid(), signal.{name})\n",
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "in order\n", "")


def test_a_second_signal_ends_at_once() -> None:
    done = run("for n in (signal.SIGINT, signal.SIGTERM): os.kill(os.getpid(), n)\nprint('not reached')")
    assert (done.returncode, done.stdout) == (143, "")


def test_a_first_signal_after_the_end_has_come_ends_nothing_at_once() -> None:
    done = run("signals.want()\nos.kill(os.getpid(), signal.SIGTERM)\nprint('in order')")
    assert (done.returncode, done.stdout) == (0, "in order\n")


def test_a_stop_that_another_thread_wants_wakes_the_main_one() -> None:
    done = run(
        "import threading\n"
        "threading.Timer(0.05, signals.want).start()\n"
        "signals.block_until_wanted()\n"
        "print(signals.wanted)"
    )
    assert (done.returncode, done.stdout) == (0, "True\n")


def test_a_signal_at_any_step_of_the_wait_ends_it() -> None:
    done = run(
        """
import sys, threading

def raise_at(step):
    left = [step]
    def trace(frame, event, argument):
        if left[0] == 0:
            sys.settrace(None)
            signal.raise_signal(signal.SIGTERM)
        left[0] -= 1
        return trace
    return trace

for step in range(16):
    signals = StopSignals()
    threading.Timer(0.05, signals.want).start()  # for a wait of fewer steps
    sys.settrace(raise_at(step))
    signals.block_until_wanted()
    sys.settrace(None)
print("woken each time")
"""
    )
    assert (done.returncode, done.stdout) == (0, "woken each time\n")
