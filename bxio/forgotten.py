"""The record of what was forgotten, without a word of it: the memory writes it, the outbox reads it (4.7)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Self

from bxcore import erasing, journal
from bxcore.erasing import EraseOrder
from bxio.journal_file import JournalError, JournalFile


class Forgotten:
    """The journal, open for its one writer. Each error is a ``JournalError``."""

    def __init__(self, file: JournalFile, orders: tuple[EraseOrder, ...]) -> None:
        self._file = file
        self.orders = orders
        """Every order so far, the oldest first."""

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

    def append(self, orders: tuple[EraseOrder, ...]) -> None:
        """Put orders on disk, all or none."""
        self._file.append([erasing.dump(order) for order in orders], sync=True)
        self.orders = (*self.orders, *orders)

    def close(self) -> None:
        """Close the file and free its lock; a second call does nothing."""
        self._file.close()


def orders(path: Path) -> tuple[EraseOrder, ...]:
    """Every order, read beside the writer; none when there is no such file. Raises ``JournalError``."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}") from None
    try:
        payloads = journal.recover(data).payloads
    except journal.DamageError as error:
        raise JournalError(f"{path}: {error}; restore it from a backup") from None
    return _parsed(payloads, path)


def _parsed(payloads: Iterable[str], path: Path) -> tuple[EraseOrder, ...]:
    try:
        return tuple(map(erasing.parse, payloads))
    except ValueError as error:
        raise JournalError(f"{path} holds a line that is {error}; restore it from a backup") from None
