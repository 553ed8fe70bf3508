"""A driver's process under ``strace``: which calls it makes, and a run with a fault in it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.faults.driver import ROOM
from tools.faults.fault import CALLS, KILL, Fault

LIMIT_S = 60.0
ROOT = Path(__file__).parents[2]
_QUICK = "--seccomp-bpf"
"""Stops the process at the traced calls alone."""
_LINE = re.compile(r"(\d+) +([a-z0-9]+)\(")


class NoTraceError(Exception):
    """``strace`` does not do its work here; the text says what it said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The calls of a run without faults on the files of its folder, each with its number in its thread.

    ``paths`` are the files that they are about, below the folder, for a driver whose files are ``named``:
    the numbers count calls on these alone then. ``largest`` is the size of the largest one at the end,
    ``acknowledged`` what the run told to be on disk.
    """

    calls: tuple[tuple[str, int], ...]
    paths: tuple[str, ...]
    largest: int
    acknowledged: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a run said, and whether its fault struck one of the folder's files."""

    acknowledged: tuple[int, ...]
    refused: tuple[str, ...]
    complaint: str
    ended: bool
    struck: bool


def watch(name: str, folder: Path, *, named: bool) -> Watched:
    """Run a driver without a fault. Raises ``NoTraceError``."""
    trace = folder.with_name("trace")
    done = _run(name, folder, [*_strace(trace), _QUICK])
    if "end" not in done.stdout.splitlines() or not trace.is_file():
        raise NoTraceError(f"{name} does not run under strace: {done.stderr.strip()[-2000:]}")
    lines = trace.read_text(errors="replace").splitlines()
    paths = sorted({path for line in lines for path in _paths(line, folder)})
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    found = dict.fromkeys(_numbered(lines, folder, all_calls=not named))
    return Watched(
        calls=tuple(found),
        paths=tuple(paths) if named else (),
        largest=max(sizes, default=0),
        acknowledged=_ran(done, struck=False).acknowledged,
    )


def _numbered(lines: Iterable[str], folder: Path, *, all_calls: bool) -> Iterable[tuple[str, int]]:
    """Numbers are a thread's own, as ``strace`` counts them."""
    count: Counter[tuple[str, str]] = Counter()
    for line in lines:
        match = _LINE.match(line)
        if match is not None:
            ours = str(folder) in line
            if ours or all_calls:
                count[match[1], match[2]] += 1
            if ours:
                yield match[2], count[match[1], match[2]]


def _paths(line: str, folder: Path) -> list[str]:
    found = re.findall(re.escape(str(folder)) + r'(/[^"<>)]*)?(?=["<>)])', line)
    return [path.removeprefix("/") for path in found]


def run(name: str, folder: Path, fault: Fault, watched: Watched) -> Ran:
    """Run a driver with one fault."""
    if fault.room is not None:
        done = _run(name, folder, (), room=fault.room)
        return _ran(done, struck="no " in done.stdout)
    trace = folder.with_name("trace")
    only = [word for path in watched.paths for word in ("-P", str(folder / path))]
    quick = [] if fault.kind == KILL else [_QUICK]  # with it, strace 6.1 does not kill
    done = _run(name, folder, [*_strace(trace), *quick, *only, "-e", f"inject={fault}"])
    text = trace.read_text(errors="replace")
    if fault.kind == KILL:
        return _ran(done, struck="+++ killed by SIGKILL" in text and _last_call_is(text, fault, folder))
    struck = [line for line in text.splitlines() if line.endswith("(INJECTED)")]
    return _ran(done, struck=any(str(folder) in line for line in struck))


def _last_call_is(trace: str, fault: Fault, folder: Path) -> bool:
    """Whether the call that the process was killed at is on a file of the folder."""
    calls = [line for line in trace.splitlines() if f" {fault.call}(" in line]
    return bool(calls) and str(folder) in calls[-1]


def _ran(done: subprocess.CompletedProcess[str], *, struck: bool) -> Ran:
    said = done.stdout.splitlines()
    return Ran(
        acknowledged=tuple(int(line.split()[1]) for line in said if line.startswith("ack ")),
        refused=tuple(line[3:] for line in said if line.startswith("no ")),
        complaint=done.stderr.strip(),
        ended="end" in said,
        struck=struck,
    )


def _strace(trace: Path) -> list[str]:
    traced = ",".join(CALLS)
    return ["strace", "-f", "-q", "-y", "-o", str(trace), "-e", f"trace={traced}"]


def _run(
    name: str, folder: Path, before: Sequence[str], room: int | None = None
) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    if room is not None:
        environ[ROOM] = str(room)
    return subprocess.run(  # noqa: S603 - our own program
        [*before, sys.executable, "-P", "-m", "tools.faults.driver", name, str(folder)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=LIMIT_S,
        check=False,
        cwd=ROOT,
        env=environ,
    )
