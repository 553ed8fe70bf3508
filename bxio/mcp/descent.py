"""Who was started by whom, as the kernel tells it (proc(5))."""

from __future__ import annotations

from pathlib import Path

_STATE, _START = 0, 19
"""Places in ``/proc/PID/stat`` behind the name."""


def below(pid: int) -> list[int]:
    """The living processes below one, those that it started before what these did."""
    found = children(pid)
    for child in found:  # grows as it goes
        found += children(child)
    return [child for child in found if alive(child)]


def children(pid: int) -> list[int]:
    """Those that it started, or inherited, and has not looked at since they ended."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []
    words = (word for task in tasks for word in _text(task / "children").split())
    return [int(word) for word in words]


def alive(pid: int) -> bool:
    """Whether it runs; one that waits for its parent to look does not."""
    stat = _stat(pid)
    return bool(stat) and stat[_STATE] not in "ZX"


def start_of(pid: int) -> str:
    """When it was started, in ticks since the boot; empty when it is gone. It tells two of one id apart."""
    stat = _stat(pid)
    return stat[_START] if stat else ""


def _stat(pid: int) -> list[str]:
    return _text(Path(f"/proc/{pid}/stat")).rpartition(") ")[2].split()


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""
