"""Files of sessions' logs, read on from where they were: a turn costs what it adds, not what a log holds.

What was read is kept for the few files that were read last, and is of use while the line that was read last
stands where it stood: it holds the checksum of the one before, and so of all of them. Used by one thread.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from bxcore import journal, records
from bxcore.records import Record

MOST_FILES = 8
MOST_BYTES = 8 * 1024 * 1024
"""Of a file; a longer one is read anew each time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """The good lines so far: their records and their bytes; of the last one its bytes, checksum and batch."""

    records: tuple[Record, ...] = ()
    offset: int = 0
    last: bytes = b""
    first: int = 0
    crc: str = journal.START


class LogParts:
    """What was read of some files. ``drop`` forgets all of it."""

    def __init__(self) -> None:
        self._known: OrderedDict[Path, _Known] = OrderedDict()

    def read(self, path: Path, *, may_be_torn: bool) -> tuple[Record, ...]:
        """The records of a file as ``records.read`` gives them of its bytes.

        Raises what that raises, or ``OSError``.
        """
        known = self._known.pop(path, _Known())
        with path.open("rb") as file:
            if not _stands(file, known):
                known = _Known()
            file.seek(known.offset)
            data = file.read()
        if not known.offset and not journal.is_framed(data):
            return records.read(data, may_be_torn=may_be_torn)
        known = _gone_on(known, data, may_be_torn=may_be_torn)
        if known.offset <= MOST_BYTES:
            self._known[path] = known
            while len(self._known) > MOST_FILES:
                self._known.popitem(last=False)
        return known.records

    def drop(self) -> None:
        """Hold no text any longer."""
        self._known.clear()


def _stands(file: BinaryIO, known: _Known) -> bool:
    """Whether the line that was read last is still where it was."""
    file.seek(known.offset - len(known.last))
    return file.read(len(known.last)) == known.last


def _gone_on(known: _Known, data: bytes, *, may_be_torn: bool) -> _Known:
    """What is known with the lines of ``data`` behind it."""
    number = len(known.records)
    found = journal.recover(data, seq=number, first=known.first, crc=known.crc)
    if found.tail and not may_be_torn:
        raise records.RecordError(f"line {number + len(found.payloads) + 1} of the log is damaged")
    if not found.payloads:
        return known
    added = tuple(records.parse(payload, place) for place, payload in enumerate(found.payloads, number + 1))
    return replace(
        known,
        records=(*known.records, *added),
        offset=known.offset + found.good_bytes,
        last=data[data.rfind(b"\n", 0, found.good_bytes - 1) + 1 : found.good_bytes],
        first=found.first,
        crc=found.crc,
    )
