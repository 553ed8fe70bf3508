"""The audit's file: append-only, each record synced before it counts (spec 2.4, notes on durability).

It takes the journal's care with writes, syncs and torn tails, but not its framing: a record's line carries
the sha256 of the line before, and the whole log is only read by ``verify``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bxcore import audit_chain
from bxcore.audit_chain import Broken, Head
from bxio.folders import sync_folder
from bxio.journal_file import JournalError, JournalFile, Torn, keep_aside

_TAIL_BYTES = 1 << 20
"""How much of the log's end is read at start; a record is far shorter."""


class AuditLog(JournalFile):
    """The one writer of ``audit.jsonl``; ``open`` it, then ``record``.

    ``head`` is the chain's end. ``torn`` tells of a torn last line that the start cut off.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        super().__init__(path, descriptor)
        self.head = Head()

    def _recover(self) -> None:
        os.fsync(self._fd)
        sync_folder(self.path.parent)
        length, tail = _end_of(self._fd)
        whole, torn = _split(tail)
        self.head = _head(whole, self.path)
        self._size = length - len(torn)
        if torn:
            self.torn = Torn(len(torn), keep_aside(self.path, torn))
            os.ftruncate(self._fd, self._size)
            os.fsync(self._fd)

    def record(self, record: Mapping[str, Any]) -> int:
        """Put one record on disk and give its number, from 1.

        Raises ``JournalError``; then nothing was recorded, and after a failed sync nothing more will be.
        """
        self._refuse_when_poisoned()
        line, head = audit_chain.link(self.head, record)
        self._write(line)
        self._size += len(line)
        self._sync()
        self.head = head
        return head.number


def verify(path: Path) -> Head | Broken:
    """Walk the whole chain, a line at a time, beside the writer too. A missing file is an empty chain.

    Other ``OSError`` s are raised. A last line without its line end is not there yet.
    """
    if not path.exists():
        return Head()
    return audit_chain.walk(_lines(path))


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line[:-1]


def _end_of(descriptor: int) -> tuple[int, bytes]:
    length = os.fstat(descriptor).st_size
    start = max(0, length - _TAIL_BYTES)
    return length, os.pread(descriptor, length - start, start)


def _split(tail: bytes) -> tuple[bytes, bytes]:
    """The whole lines of a log's end, and the torn line behind them.

    A last line that has its line end but is no record is torn too: its middle never reached the disk.
    """
    end = tail.rfind(b"\n") + 1
    if end < len(tail) or not tail:
        return tail[:end], tail[end:]
    before = tail.rfind(b"\n", 0, end - 1) + 1
    whole = audit_chain.parsed(tail[before : end - 1]) is not None
    return (tail, b"") if whole else (tail[:before], tail[before:])


def _head(whole: bytes, path: Path) -> Head:
    if not whole:
        return Head()
    head = audit_chain.head_of(whole[whole.rfind(b"\n", 0, len(whole) - 1) + 1 : -1])
    if head is None:
        raise JournalError(f"{path} is damaged before its last line; keep it elsewhere, then restart the box")
    return head
