"""Runs that an ended box has left: each carries who started it, and is ended when that one is gone.

Bubblewrap dies with its parent, but only once it has asked the kernel for that: a box that is killed in the
milliseconds before leaves a run without an owner, which nobody would end at its limit.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

_LABEL = re.compile(rb"\0--hostname\0sandbox-([0-9]{1,10})-([0-9]{1,20})\0")
ROUNDS = 10
_STARTED = 19
"""Where ``/proc/PID/stat`` has the start time, counted behind the command's name (proc(5))."""


def label() -> str:
    """The host name of a run of this process: its id and when it started, which no later process shares."""
    return f"sandbox-{os.getpid()}-{_started(os.getpid())}"


def sweep() -> int:
    """Kill every run whose owner has ended; how many processes.

    One that is still being set up may begin another after it was passed by, so the look is repeated until it
    finds no new one.
    """
    ended: set[int] = set()
    for _ in range(ROUNDS):
        found = {process for process in _processes() if _end(process)}
        if found <= ended:
            break
        ended |= found
    return len(ended)


def _processes() -> Iterator[int]:
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            yield int(entry.name)


def _end(process: int) -> bool:
    """Looked at and killed through one descriptor, so that no process of the same number is hit later."""
    with contextlib.suppress(OSError):
        held = os.pidfd_open(process)
        try:
            found = _LABEL.search(Path(f"/proc/{process}/cmdline").read_bytes())
            if found is not None and _started(int(found[1])) != int(found[2]):
                signal.pidfd_send_signal(held, signal.SIGKILL)
                return True
        finally:
            os.close(held)
    return False


def _started(process: int) -> int | None:
    """When it started, in clock ticks since the machine did; None when there is none."""
    try:
        text = Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return None
    return int(text.rpartition(b")")[2].split()[_STARTED])
