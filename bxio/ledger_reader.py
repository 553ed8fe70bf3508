"""The ledger, read beside its writer from any spot on, a piece at a time (spec 4.7)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO

from bxcore import journal, turn_decisions
from bxcore.turn_decisions import Decided
from bxio.folders import write_whole
from bxio.journal_file import JournalError
from bxio.journal_summary import EVERY

PIECE = 4 * 1024 * 1024
"""Bytes read at once."""
LONGEST = 64 * 1024
"""Bytes; longer than any row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Between two lines: the byte and the number of the next one; checksum and batch of the one before."""

    offset: int = 0
    number: int = 0
    first: int = 0
    crc: str = journal.START


class Settled:
    """A spot before which no turn waits, kept beside the ledger; it may be deleted. Used by the outbox."""

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self._path = ledger.with_name(f"{ledger.name}.settled")
        self._noted = Spot()

    def read(self, orders: int) -> Spot:
        """The spot, the start if there is none; an order to forget since then may have changed what waits."""
        try:
            found = json.loads(self._path.read_bytes())
            spot = Spot(**found["spot"])
            if found["orders"] == orders and _fits(self._ledger, spot):
                self._noted = spot
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return Spot()
        return self._noted

    def note(self, spot: Spot, orders: int) -> None:
        """Keep a spot that lies much further on; it is no loss when that fails."""
        if spot.number < self._noted.number + EVERY:
            return
        self._noted = spot
        found = {"spot": asdict(spot), "orders": orders}
        with suppress(OSError):
            write_whole(self._path, json.dumps(found).encode())


def _fits(ledger: Path, spot: Spot) -> bool:
    """Whether the line before the spot is the one that was there then."""
    with ledger.open("rb") as file:
        file.seek(max(0, spot.offset - LONGEST))
        before = file.read(min(spot.offset, LONGEST))
    last = before[before.rfind(b"\n", 0, -1) + 1 :]
    return last.endswith(b"\n") and last.startswith(b'{"crc":"%s"' % spot.crc.encode())


@dataclass(frozen=True, slots=True)
class Found:
    """A row, and the spots before and behind it."""

    before: Spot
    row: Decided
    behind: Spot


def rows(path: Path, start: Spot) -> Iterator[Found]:
    """Each row from a spot on; what is only half written ends it.

    Raises ``JournalError``, also when the ledger is not the one that the spot is of.
    """
    try:
        with path.open("rb") as file:
            yield from _pieces(file, start, path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}") from None


def last_row(path: Path, session: str, log: str | None = None) -> Decided | None:
    """The last row of a session, or of its log of that name; None for none, or when nobody can say.

    It is looked for from the end, and no other session's row is read.
    """
    begins = b'"record":{"session":%s,' % json.dumps(session).encode("ascii")
    try:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            at = len(data)
            while (at := data.rfind(begins, 0, at)) >= 0:
                row = _row_of(data[data.rfind(b"\n", 0, at) + 1 : data.find(b"\n", at)])
                if row is not None and log in {row.log, None}:
                    return row
    except (OSError, ValueError):  # no file, or an empty one
        pass
    return None


def _row_of(line: bytes) -> Decided | None:
    """The row of a whole line; None for one that is damaged or half written."""
    payload = next((found.payload for found in journal.consistent_lines(line)), None)
    return None if payload is None else turn_decisions.parse(payload)


def _pieces(file: BinaryIO, spot: Spot, path: Path) -> Iterator[Found]:
    while True:
        file.seek(spot.offset)
        data = file.read(PIECE)
        whole = len(data) < PIECE
        first = spot
        for line, end in journal.chain(data, seq=spot.number, first=spot.first, crc=spot.crc):
            before = spot
            spot = Spot(offset=first.offset + end, number=line.seq + 1, first=line.first, crc=line.crc)
            yield Found(before, _row(line.payload, path), spot)
        if whole or spot == first:
            _check(file, spot, path)
            return


def _check(file: BinaryIO, spot: Spot, path: Path) -> None:
    """What is left is a line that is being written, or damage."""
    file.seek(spot.offset)
    try:
        journal.recover(file.read(), seq=spot.number, first=spot.first, crc=spot.crc)
    except journal.DamageError as error:
        raise JournalError(f"{path}: {error}; restore it from a backup") from None


def _row(payload: str, path: Path) -> Decided:
    try:
        return turn_decisions.parse(payload)
    except ValueError as error:
        raise JournalError(f"{path} holds a line that is {error}; restore it from a backup") from None
