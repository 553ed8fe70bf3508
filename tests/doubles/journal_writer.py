"""A process that appends to a log until it is done, refused or killed, and prints what it has acknowledged.

``python -m tests.doubles.journal_writer PATH SIZE COUNT [then-try-again | then-grow]``: record *n* is
``"n:xxx"``; the sizes go round up to SIZE when that is over 64 kB. Each printed line starts with the number
of acknowledged records.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from bxio.journal_file import JournalError, JournalFile

TEARABLE = 65_536


def main(path: Path, size: int, count: int, *, again: bool, grow: bool) -> None:
    file = JournalFile.open(path)
    start = len(file.payloads)
    _say(start)
    for number in range(start, start + count):
        try:
            file.append([json.dumps(f"{number}:" + "x" * _length(size, number))], sync=True)
        except JournalError as error:
            more = _try_again(file, path) if again else ""
            _say(f"{number} {error} {more}")
            if not grow:
                return
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        _say(number + 1)


def _say(line: object) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _length(size: int, number: int) -> int:
    return size if size < TEARABLE else 70_000 + (number * 977_777) % size


def _try_again(file: JournalFile, path: Path) -> str:
    said = []
    try:
        file.append(["1"], sync=True)
    except JournalError as error:
        said.append(str(error))
    file.close()
    try:
        JournalFile.open(path)
    except JournalError as error:
        said.append(str(error))
    return " ".join(said)


if __name__ == "__main__":
    path, size, count, *how = sys.argv[1:]
    main(Path(path), int(size), int(count), again="then-try-again" in how, grow="then-grow" in how)
