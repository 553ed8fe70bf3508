"""What a driver of a durable file is, and how it tells what is on disk.

Run as a process with a driver's name and a folder, it prints ``ack N`` for each thing that is on disk by the
module's own word, and ``no SENTENCE`` for each that was refused.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bxcore.errors import SentenceError
from bxio.embedded_honcho.database import DamagedDatabase
from bxio.honcho import HonchoUnavailable

Failures = (SentenceError, HonchoUnavailable, DamagedDatabase, OSError)
"""What a module may raise: each says what happened."""
ROOM = "FAULTS_ROOM"
"""The environment's name for how many bytes a file may have: more is written short, then refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """A durable file: ``run`` does the work in a folder, ``check`` gives what is wrong afterwards.

    ``run`` yields a number for each thing that is on disk; ``check`` is told which of them were heard of.
    ``named`` is False for files whose names are made by chance, so that no path can be watched.
    """

    run: Callable[[Path], Iterator[int]]
    check: Callable[[Path, Sequence[int]], Iterator[str]]
    prepare: Callable[[Path], None] = lambda _folder: None
    named: bool = True


def tried(number: int, work: Callable[[], object]) -> Generator[int, None, bool]:
    """Do a thing: its number when it is done, its sentence when it was refused; whether it was done."""
    try:
        work()
    except Failures as error:
        tell(f"no {error}")
        return False
    yield number
    return True


def missing(acknowledged: Sequence[int], there: Sequence[int]) -> Iterator[str]:
    """What was acknowledged has to be there, and nothing twice."""
    lost = [number for number in acknowledged if number not in there]
    if lost:
        yield f"acknowledged and not there: {lost}"
    if len(there) != len(set(there)):
        yield f"there twice: {there}"


def tell(line: str) -> None:
    """Say a line by a call that no fault is injected into."""
    os.writev(1, [line.encode("utf-8", "backslashreplace").replace(b"\n", b" / ") + b"\n"])


def main(name: str, folder: Path) -> None:
    """Run one driver."""
    from tools.faults.drivers import DRIVERS  # here: it imports this module

    room = os.environ.get(ROOM)
    if room is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(room), resource.RLIM_INFINITY))
    tell("ready")
    try:
        for number in DRIVERS[name].run(folder):
            tell(f"ack {number}")
    except Failures as error:  # the file could not even be opened
        tell(f"no {error}")
    tell("end")
    os._exit(0)  # as a kill would: nothing is tidied up


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
