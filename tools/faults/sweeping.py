"""Every fault of a driver, each in a folder of its own, and what is left afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tools.faults import fault as faults
from tools.faults import tracing
from tools.faults.driver import Driver
from tools.faults.drivers import DRIVERS
from tools.faults.fault import KILL, Fault

ROOMS = 24
"""Sizes of a disk that fills up, for each driver."""
WORKERS = 2
SHELF = next((path for path in ("/dev/shm",) if os.access(path, os.W_OK)), None)  # noqa: S108
"""Where the files lie: in memory, since a fault that is injected needs no disk; None for the usual place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run with a fault said, and what is wrong after it. ``struck``: the fault was in its files."""

    driver: str
    fault: Fault
    struck: bool
    sentences: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


def sweep(name: str, every: int = 1, most: int | None = None) -> Iterator[Outcome]:
    """Each kind of fault at each ``every``-th call of a driver, and a disk that fills up at some sizes.

    With ``most`` about so many of these, from all over. Raises ``NoTraceError``.
    """
    driver = DRIVERS[name]
    with _folder(driver) as folder:
        watched = tracing.watch(name, folder, named=driver.named)
        wrong = left(driver, folder, watched.acknowledged)
    if wrong or not watched.acknowledged:
        raise AssertionError(f"{name} is wrong without a fault: {wrong}")
    wanted = [
        *faults.of_calls(watched.calls, every, once=not driver.named),
        *faults.of_rooms(watched.largest, ROOMS),
    ]
    if most is not None:
        wanted = wanted[1 :: len(wanted) // most | 1]  # an odd step, so that each kind is among them
    # Processes, not threads: a thread that starts a program holds what another one's check has open.
    with ProcessPoolExecutor(max_workers=WORKERS, mp_context=get_context("forkserver")) as pool:
        yield from pool.map(partial(tried, name, watched), wanted)


def tried(name: str, watched: tracing.Watched, fault: Fault) -> Outcome:
    """Run a driver with one fault, and look at what is left."""
    outcome = Outcome(driver=name, fault=fault, struck=True)
    with _folder(DRIVERS[name]) as folder:
        try:
            ran = tracing.run(name, folder, fault, watched)
        except subprocess.TimeoutExpired:
            return replace(outcome, wrong=("it does not come to an end",))
        if not ran.struck:
            return replace(outcome, struck=False)
        wrong = (*_manners(ran, fault), *left(DRIVERS[name], folder, ran.acknowledged))
        return replace(outcome, sentences=ran.refused, wrong=wrong)


def _manners(ran: tracing.Ran, fault: Fault) -> Iterator[str]:
    """Whoever was not killed says what is wrong in a sentence, and goes on."""
    if "Traceback" in ran.complaint:
        yield f"a traceback: {ran.complaint.splitlines()[-1]}"
    elif not ran.ended and fault.kind != KILL:
        yield f"it ended in the middle: {ran.complaint[-300:]}"
    for sentence in ran.refused:
        if not sentence.strip() or "[Errno" in sentence or "Error(" in sentence:
            yield f"no sentence: {sentence}"


def left(driver: Driver, folder: Path, acknowledged: Sequence[int]) -> list[str]:
    """What is wrong with what is left, read without faults as the next start does."""
    try:
        return list(driver.check(folder, acknowledged))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        return [f"it cannot be read afterwards: {type(error).__name__}: {error}"]


@contextmanager
def _folder(driver: Driver) -> Iterator[Path]:
    home = Path(tempfile.mkdtemp(prefix="faults-", dir=SHELF))
    try:
        folder = home / "files"
        folder.mkdir(mode=0o700)
        driver.prepare(folder)
        yield folder
    finally:
        shutil.rmtree(home, ignore_errors=True)
