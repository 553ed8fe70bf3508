"""The record of what was forgotten, without a word of it: the memory writes it, the outbox reads it (4.7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from bxcore import erasing
from bxcore.erasing import CarriedOut, EraseOrder, Order
from bxio.journal_file import JournalError, JournalFile, read_beside


class Forgotten:
    """The journal, open for its one writer. Each error is a ``JournalError``."""

    def __init__(self, file: JournalFile, lines: Iterable[Order | CarriedOut]) -> None:
        self._file = file
        self._open: dict[str, Order] = {}
        self._take(lines)

    @property
    def unfinished(self) -> tuple[Order, ...]:
        """Those whose part of the box a crash left undone."""
        return tuple(self._open.values())

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or make it."""
        file = JournalFile.open(path)
        try:
            found = _parsed(file.payloads, path)
        except JournalError:
            file.close()
            raise
        return cls(file, found)

    def append(self, lines: Sequence[Order | CarriedOut]) -> None:
        """Put lines on disk, all or none."""
        self._file.append([erasing.dump(line) for line in lines], sync=True)
        self._take(lines)

    def _take(self, lines: Iterable[Order | CarriedOut]) -> None:
        for line in lines:
            if isinstance(line, CarriedOut):
                self._open.pop(line.order, None)
            else:
                self._open[line.id] = line

    def close(self) -> None:
        """Close the file and free its lock; a second call does nothing."""
        self._file.close()


def orders(path: Path) -> tuple[EraseOrder, ...]:
    """Every order, read beside the writer; none when there is no such file. Raises ``JournalError``."""
    return tuple(line for line in _parsed(read_beside(path), path) if isinstance(line, EraseOrder))


def whole(path: Path, session: str, log: str | None = None) -> bool:
    """Whether a session of that name, or its log of that one, was forgotten with all its turns.

    False when nobody can say.
    """
    try:
        found = [order for order in orders(path) if order.session == session and order.turns is None]
        return any(log in {order.log, None} for order in found)
    except JournalError:
        return False


def _parsed(payloads: Iterable[str], path: Path) -> tuple[Order | CarriedOut, ...]:
    try:
        return tuple(map(erasing.parse, payloads))
    except ValueError as error:
        raise JournalError(f"{path} holds a line that is {error}; restore it from a backup") from None
