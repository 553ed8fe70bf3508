"""Runs a target over many inputs: what it raises beyond its promise is a finding, and what takes too long."""

from __future__ import annotations

import hashlib
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

from tools.fuzz.mutation import mutated
from tools.fuzz.target import Target

FOUND = Path(__file__).resolve().parents[2] / "tests" / "tools" / "fuzz" / "found"
"""Where inputs are kept that broke a promise once; the tests try them again."""
SLOW_S = 1.0
"""Seconds of processor time that no input may take."""
GIVE_UP_S = 30.0
"""Seconds after which an input is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An input that broke a promise; ``what`` is the last line of the error, ``trace`` all of it."""

    target: str
    data: bytes
    what: str
    trace: str

    @property
    def name(self) -> str:
        """The name of the file that keeps the input."""
        return f"{self.target}-{hashlib.sha256(self.data).hexdigest()[:8]}.bin"

    @property
    def kind(self) -> str:
        """What two findings of one fault have in common: the error's type and where it was raised."""
        where = [line.strip() for line in self.trace.splitlines() if line.strip().startswith("File ")]
        return f"{self.what.partition(':')[0]} {where[-1] if where else ''}"


@dataclass(slots=True)
class Tally:
    """What a run came to; of findings of one kind only the shortest is kept."""

    executions: int = 0
    slowest_s: float = 0.0
    findings: dict[str, Finding] = field(default_factory=dict)

    def add(self, finding: Finding) -> None:
        """Keep the finding when it is the first or the shortest of its kind."""
        before = self.findings.get(finding.kind)
        if before is None or len(finding.data) < len(before.data):
            self.findings[finding.kind] = finding


class GivenUpError(Exception):
    """An input took ``GIVE_UP_S``."""


def attempt(target: Target, data: bytes) -> tuple[Finding | None, float]:
    """Try one input: what broke, if anything, and the seconds of processor time."""
    begun = time.process_time()
    try:
        target.check(data)
    except Exception as error:  # noqa: BLE001 - whatever comes out is the finding
        took_s = time.process_time() - begun
        what = f"{type(error).__name__}: {error}"
        return Finding(target=target.name, data=data, what=what, trace=traceback.format_exc()), took_s
    took_s = time.process_time() - begun
    if took_s > SLOW_S:
        what = f"Slow: {took_s:.1f} s for {len(data)} bytes"
        return Finding(target=target.name, data=data, what=what, trace=what), took_s
    return None, took_s


def run(target: Target, seed: int, *, executions: int | None = None, seconds: float | None = None) -> Tally:
    """Try the seeds, then new inputs until so many were tried or so many seconds are over."""
    chance = Random(f"{seed} {target.name}")  # noqa: S311 - it must come the same again
    stop = None if seconds is None else time.monotonic() + seconds
    tally = Tally()
    with _given_up():
        for data in _inputs(target, chance):
            if tally.executions == executions or (stop is not None and time.monotonic() >= stop):
                break
            signal.setitimer(signal.ITIMER_REAL, GIVE_UP_S)
            finding, took_s = attempt(target, data)
            signal.setitimer(signal.ITIMER_REAL, 0)
            tally.executions += 1
            tally.slowest_s = max(tally.slowest_s, took_s)
            if finding is not None:
                tally.add(finding)
    return tally


def _inputs(target: Target, chance: Random) -> Iterator[bytes]:
    yield from target.seeds
    while True:
        yield mutated(chance, target.seeds, target.words)


@contextmanager
def _given_up() -> Iterator[None]:
    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise GivenUpError(f"given up after {GIVE_UP_S} s")

    before = signal.signal(signal.SIGALRM, give_up)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def save(finding: Finding, folder: Path = FOUND) -> Path:
    """Keep the input as a file and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / finding.name
    path.write_bytes(finding.data)
    return path
