"""The ledger on disk: which turn goes where, and apart from it which was delivered (spec 4.7).

The memory writes ``ledger.jsonl``, the outbox ``delivered.jsonl``; what is in the first and not in the second
still waits. So a kill at any moment loses no turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from bxcore import journal, turn_decisions
from bxcore.decide import Send
from bxcore.turn_decisions import Decided
from bxio.journal_file import JournalError, JournalFile


class TurnLedger:
    """Every decision so far; used by one thread, the memory's."""

    def __init__(self, file: JournalFile, rows: Iterable[Decided]) -> None:
        self._file = file
        self._last: dict[str, Decided] = {}
        self._note(rows)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or make it. Raises ``JournalError``."""
        file = JournalFile.open(path)
        try:
            rows = _rows(file.payloads, path)
        except JournalError:
            file.close()
            raise
        return cls(file, rows)

    def decided(self, session: str) -> int:
        """Up to which turn a session is decided, 0 for none."""
        last = self._last.get(session)
        return 0 if last is None else last.turn

    def size(self, session: str) -> int | None:
        """The bytes that the session's log had at its last decision."""
        last = self._last.get(session)
        return None if last is None else last.size

    def append(self, rows: Sequence[Decided]) -> None:
        """Put decisions on disk, all or none. Raises ``JournalError``."""
        self._file.append([turn_decisions.dump(row) for row in rows], sync=True)
        self._note(rows)

    def _note(self, rows: Iterable[Decided]) -> None:
        for row in rows:
            self._last[row.session] = row

    def close(self) -> None:
        """Close the file and free its lock; a second call does nothing."""
        self._file.close()


def to_send(path: Path) -> tuple[Decided, ...]:
    """Every row that is to be sent, delivered or not, read beside the writer. Raises ``JournalError``."""
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
    return tuple(row for row in _rows(payloads, path) if isinstance(row.action, Send))


class DeliveryMarks:
    """Which turns the outbox is done with; used by one thread, the outbox's."""

    def __init__(self, file: JournalFile, done: set[tuple[str, int]]) -> None:
        self._file = file
        self._done = done

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or make them. Raises ``JournalError``."""
        file = JournalFile.open(path)
        try:
            done = {(mark["session"], mark["turn"]) for mark in map(json.loads, file.payloads)}
        except (ValueError, TypeError, KeyError):
            file.close()
            raise JournalError(f"{path} holds a line that is no mark; restore it from a backup") from None
        return cls(file, done)

    def done(self, row: Decided) -> bool:
        """Whether a turn was delivered, or given up for good."""
        return (row.session, row.turn) in self._done

    def mark(self, row: Decided, *, gave_up: str | None = None) -> None:
        """Put on disk that a turn is delivered, or why it never will be. Raises ``JournalError``."""
        found = {"session": row.session, "turn": row.turn}
        kept = found if gave_up is None else {**found, "gave_up": gave_up}
        self._file.append([json.dumps(kept, ensure_ascii=True)], sync=True)
        self._done.add((row.session, row.turn))

    def close(self) -> None:
        """Close the file and free its lock; a second call does nothing."""
        self._file.close()


def _rows(payloads: Iterable[str], path: Path) -> tuple[Decided, ...]:
    try:
        return tuple(map(turn_decisions.parse, payloads))
    except ValueError as error:
        raise JournalError(f"{path} holds a line that is {error}; restore it from a backup") from None
