"""The ledger on disk: which turn goes where, and apart from it which was delivered (spec 4.7).

The memory writes ``ledger.jsonl``, the outbox ``delivered.jsonl``; what is in the first and not in the second
still waits. So a kill at any moment loses no turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bxcore import delivery_marks, turn_decisions
from bxcore.decide import Send
from bxcore.delivery_marks import Erased, Mark, Marks
from bxcore.turn_decisions import Decided
from bxio import journal_summary
from bxio.journal_file import JournalError, JournalFile, Prefix, read_beside


@dataclass(frozen=True, slots=True)
class _Last:
    """The last decision of a session: its turn, the size and the name of its log then."""

    turn: int
    size: int
    log: str


class TurnLedger:
    """Every decision so far; used by one thread, the memory's."""

    def __init__(self, file: JournalFile, last: dict[str, _Last], rows: Iterable[Decided]) -> None:
        self._file = file
        self._last = last
        self._unsummed = len(file.payloads)
        self._note(rows)
        self._summarize()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or make it. Raises ``JournalError``."""
        known, last = _last_ones(path)
        file = JournalFile.open(path, known)
        try:
            rows = _rows(file.payloads, path)
        except JournalError:
            file.close()
            raise
        return cls(file, last if file.skipped else {}, rows)

    def decided(self, session: str, log: str) -> int:
        """Up to which turn this log of a session is decided, 0 for none."""
        last = self._last.get(session)
        return 0 if last is None or last.log != log else last.turn

    def size(self, session: str) -> int | None:
        """The bytes that the session's log had at its last decision."""
        last = self._last.get(session)
        return None if last is None else last.size

    def log(self, session: str) -> str | None:
        """The name of the session's log at its last decision."""
        last = self._last.get(session)
        return None if last is None else last.log

    def append(self, rows: Sequence[Decided]) -> None:
        """Put decisions on disk, all or none. Raises ``JournalError``."""
        self._file.append([turn_decisions.dump(row) for row in rows], sync=True)
        self._note(rows)
        self._unsummed += len(rows)
        self._summarize()

    def _note(self, rows: Iterable[Decided]) -> None:
        for row in rows:
            self._last[row.session] = _Last(row.turn, row.size, row.log)

    def _summarize(self) -> None:
        if self._unsummed >= journal_summary.EVERY:
            total = {name: [last.turn, last.size, last.log] for name, last in self._last.items()}
            journal_summary.write(self._file, total)
            self._unsummed = 0

    def close(self) -> None:
        """Close the file and free its lock; a second call does nothing."""
        self._file.close()


def to_send(path: Path) -> tuple[Decided, ...]:
    """Every row that is to be sent, delivered or not, read beside the writer. Raises ``JournalError``."""
    return tuple(row for row in _rows(read_beside(path), path) if isinstance(row.action, Send))


class DeliveryMarks:
    """What became of each turn; used by one thread, the outbox's. ``known`` is the fold of all marks."""

    def __init__(self, file: JournalFile, known: Marks) -> None:
        self._file = file
        self.known = known
        self._unsummed = len(file.payloads)
        self._summarize()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or make them. Raises ``JournalError``."""
        prefix, known = _marks(path)
        file = JournalFile.open(path, prefix)
        try:
            known = known if file.skipped else Marks()
            for payload in file.payloads:
                known.take(delivery_marks.parse(payload))
        except ValueError:
            file.close()
            raise JournalError(f"{path} holds a line that is no mark; restore it from a backup") from None
        return cls(file, known)

    def add(self, *marks: Mark | Erased) -> None:
        """Put marks on disk, all or none. Raises ``JournalError``."""
        self._file.append([delivery_marks.dump(mark) for mark in marks], sync=True)
        for mark in marks:
            self.known.take(mark)
        self._unsummed += len(marks)
        self._summarize()

    def _summarize(self) -> None:
        if self._unsummed >= journal_summary.EVERY:
            journal_summary.write(self._file, self.known.summary())
            self._unsummed = 0

    def close(self) -> None:
        """Close the file and free its lock; a second call does nothing."""
        self._file.close()


def _last_ones(path: Path) -> tuple[Prefix | None, dict[str, _Last]]:
    """What the ledger came to when it was summed up."""
    found = journal_summary.read(path)
    try:
        return (
            (None, {})
            if found is None
            else (found[0], {name: _Last(*last) for name, last in found[1].items()})
        )
    except (TypeError, AttributeError):
        return None, {}


def _marks(path: Path) -> tuple[Prefix | None, Marks]:
    """What the marks came to when they were summed up."""
    found = journal_summary.read(path)
    try:
        return (None, Marks()) if found is None else (found[0], Marks.of_summary(found[1]))
    except (TypeError, ValueError, LookupError):
        return None, Marks()


def _rows(payloads: Iterable[str], path: Path) -> tuple[Decided, ...]:
    try:
        return tuple(map(turn_decisions.parse, payloads))
    except ValueError as error:
        raise JournalError(f"{path} holds a line that is {error}; restore it from a backup") from None
