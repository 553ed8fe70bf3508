"""The audit's file: append-only, each record synced before it counts (spec 2.4, notes on durability).

It takes the journal's care with writes, syncs and torn tails, but not its framing: a record's line carries
the sha256 of the line before. ``bxio.audit_reader`` reads it beside the writer.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bxcore import audit_chain
from bxcore.audit_chain import Head
from bxio.folders import sync_folder
from bxio.journal_file import JournalError, JournalFile, Torn, keep_aside

_TAIL_BYTES = 1 << 20
"""How much of the log's end is read at start, and twice as much as long as no whole record is in it."""


class AuditLog(JournalFile):
    """The one writer of ``audit.jsonl``; ``open`` it, then ``record``, or ``write`` and ``sync``.

    ``head`` is the chain's end, ``settled`` the number of the last record that is on disk. At most one record
    is ever behind it, so that only the last line can be torn. ``torn`` tells of one that the start cut off.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        super().__init__(path, descriptor)
        self.head = Head()
        self.settled = 0

    def _recover(self) -> None:
        os.fsync(self._fd)
        sync_folder(self.path.parent)
        length, whole, torn = _end_of(self._fd)
        self.head = _head(whole, self.path)
        self.settled = self.head.number
        self._size = length - len(torn)
        if torn:
            self.torn = Torn(len(torn), keep_aside(self.path, torn))
            os.ftruncate(self._fd, self._size)
            os.fsync(self._fd)

    def record(self, record: Mapping[str, Any]) -> int:
        """Put one record on disk and give its number, from 1.

        Raises ``JournalError``; then nothing was recorded, and after a failed sync nothing more will be.
        """
        number = self.write(record)
        self.sync()
        return number

    def write(self, record: Mapping[str, Any]) -> int:
        """Hand one record to the system in one write and give its number: a kill loses it no more.

        What was written before is synced first. Raises ``JournalError``; then nothing was written.
        """
        self.check()
        if self.settled != self.head.number:
            self.sync()
        line, head = audit_chain.link(self.head, record)
        self._write(line)
        self._size += len(line)
        self.head = head
        return head.number

    def sync(self) -> None:
        """Put what was written on disk. Raises ``JournalError``, and then nothing is written any more."""
        self.check()
        self._sync()
        self.settled = self.head.number

    def check(self) -> None:
        """Raise ``JournalError`` when a sync has failed in this process."""
        self._refuse_when_poisoned()


def _end_of(descriptor: int) -> tuple[int, bytes, bytes]:
    """The file's length, its end down to one whole record at least, and the torn line behind it."""
    length, window = os.fstat(descriptor).st_size, _TAIL_BYTES
    while True:
        start = max(0, length - window)
        whole, torn = _split(os.pread(descriptor, length - start, start))
        if start == 0 or b"\n" in whole[:-1]:
            return length, whole, torn
        window *= 2


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
