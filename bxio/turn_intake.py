"""Reads what turns of a session have ended, and writes into the ledger where each goes (spec 4.6, 4.7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bxcore.decide import turns
from bxcore.epochs import turns_before
from bxcore.records import Record
from bxcore.session_fold import log_of
from bxcore.turn_decisions import Decided, decide_turns, ended_turns, said_at
from bxio import session_logs
from bxio.log_parts import LogParts
from bxio.session_store import LOG, SessionError, SessionStore
from bxio.turn_ledger import TurnLedger


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A session's log of ``size`` bytes, whose turns are over up to ``upto``; ``log`` is its own name.

    ``records`` are all of it, or the epochs with the turns that were asked for.
    """

    session: str
    records: tuple[Record, ...]
    size: int
    upto: int
    log: str = ""
    left_out: str = ""
    """Why turns of earlier epochs, which are decided, are not among them though they should be."""


class TurnIntake:
    """Used by one thread. ``agent`` is this agent's own peer name; without ``save`` every turn is skipped."""

    def __init__(self, sessions: SessionStore, ledger: TurnLedger, *, agent: str, save: bool) -> None:
        self._parts = LogParts()
        self._sessions = sessions.keeping(self._parts)
        self._ledger = ledger
        self._agent = agent
        self._save = save

    @classmethod
    def open(cls, sessions: SessionStore, ledger: Path, *, agent: str, save: bool) -> Self:
        """Open the ledger. Raises ``JournalError``."""
        return cls(sessions, TurnLedger.open(ledger), agent=agent, save=save)

    def read(
        self, session: str, turn: int | None, indexed: Callable[[str, str], int] = lambda _session, _log: 0
    ) -> Ended:
        """The log, whose turns are over up to ``turn``; with None, up to the last that is surely over.

        ``indexed`` tells up to which turn a session's log of that name is indexed: what is both indexed and
        decided in earlier epochs is not read, and what is decided and cannot be read is left out. Raises
        ``SessionError``.
        """
        size = self._sessions.size(session)
        if not self._sessions.exists(session):
            raise SessionError(f"the log of session {session} cannot be read: it is not there")
        name = self._name(session) or ""
        records, left_out = self._records(
            session, self._ledger.decided(session, name), indexed(session, name)
        )
        surely = ended_turns(records)
        count = turns_before(records) + turns(records)
        upto = surely if turn is None else max(surely, min(turn, count))
        log = log_of(records)
        return Ended(session=session, records=records, size=size, upto=upto, log=log, left_out=left_out)

    def _records(self, session: str, decided: int, indexed: int) -> tuple[tuple[Record, ...], str]:
        """Those behind what is decided and indexed, or behind what is decided, and why."""
        try:
            return self._sessions.read(session, since=min(decided, indexed) + 1), ""
        except SessionError as error:
            return self._sessions.read(session, since=decided + 1), error.sentence

    def decide(self, ended: Ended) -> tuple[Decided, ...]:
        """Decide every undecided turn, in order, once; on disk when this returns. Raises ``JournalError``."""
        session, log = ended.session, ended.log
        numbers = range(self._ledger.decided(session, log) + 1, ended.upto + 1)
        at = said_at(ended.records)
        rows = tuple(
            Decided(session=session, turn=number, size=ended.size, action=action, log=log, at=at[number])
            for number, action in decide_turns(ended.records, numbers, agent=self._agent, save=self._save)
        )
        if rows:
            self._ledger.append(rows)
        return rows

    def grown(self, indexed: Mapping[str, int]) -> list[str]:
        """Sessions whose logs have grown since they were decided or indexed, or are others, the oldest first.

        ``indexed`` has the bytes that each log had when it was indexed.
        """
        return [
            stored.session
            for stored in reversed(self._sessions.list())
            if stored.size
            and (
                {stored.size} != {indexed.get(stored.session), self._ledger.size(stored.session)}
                or self._name(stored.session) not in {self._ledger.log(stored.session), None}
            )
        ]

    def drop(self) -> None:
        """Hold no text any longer: logs are read anew."""
        self._parts.drop()

    def known_log(self, session: str) -> str:
        """What tells the log that was decided last from others of the session's name; empty for none."""
        return self._ledger.log(session) or ""

    def _name(self, session: str) -> str | None:
        """What tells the log from others of that name, by its first line; None when that cannot be read.

        Each epoch begins with it, so a damaged first file leaves it in the last one.
        """
        first = session_logs.start_of(self._sessions.folder / session / LOG)
        if first is not None:
            return first.log
        try:
            paths = self._sessions.logs(session)
        except SessionError:
            return None
        last = session_logs.start_of(paths[-1]) if paths else None
        return None if last is None else last.log

    def close(self) -> None:
        """Close the ledger; a second call does nothing."""
        self._ledger.close()
