"""The sessions' folders: ``<folder>/<id>/0.jsonl``, ``1.jsonl``, … and ``baseline.json`` (spec 3.1, 3.2).

Of ten thousand sessions a listing reads names and dates only. One session's ``OpenSession`` belongs to one
thread; ``read``, ``list`` and ``exists`` may run in any thread beside it.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from bxcore import epochs, journal, records, session_ids
from bxcore.records import Record
from bxcore.session_files import BASELINE, LOG
from bxio import session_logs
from bxio.folders import make_private
from bxio.log_parts import LogParts
from bxio.open_session import OpenSession, open_session
from bxio.session_logs import SessionError


def new_log() -> str:
    """A name for a log that is begun now: no other log has had it."""
    return uuid4().hex


@dataclass(frozen=True, slots=True)
class StoredSession:
    """What a listing knows without reading the log: ``updated_s`` is seconds since 1970, ``size`` bytes."""

    session: str
    updated_s: float
    size: int


class SessionStore:
    """All sessions below one folder, which is made (0700) when the first session is."""

    def __init__(self, folder: Path, parts: LogParts | None = None) -> None:
        self.folder = folder
        self._parts = parts

    def keeping(self, parts: LogParts) -> SessionStore:
        """The same sessions for one thread, whose ``read`` goes on from where it was."""
        return SessionStore(self.folder, parts)

    def open(self, session: str) -> OpenSession:
        """Open or make a session; a torn tail is cut and said in ``torn_note``. Raises ``SessionError``."""
        folder = self._folder_of(session)
        try:
            make_private(folder)
        except OSError as error:
            raise SessionError(f"the folder of session {session} cannot be used: {error.strerror}") from None
        return open_session(session, folder)

    def read(self, session: str, *, since: int = 1) -> tuple[Record, ...]:
        """The records on file now, also while the session is open; empty when there is no such session.

        All epochs in order, or from the one on that holds turn ``since``. Raises ``SessionError`` for damage.
        """
        found: list[list[Record]] = []
        for path in reversed(self.logs(session)):
            part = self._part(session, path, last=not found)
            if not part:
                session_logs.check_begun(path)
            found.insert(0, part)
            if part and since > max(1, epochs.turns_before(part)):
                break
        try:
            return epochs.joined(found)
        except epochs.EpochError as error:
            raise SessionError(f"session {session}: {error}; restore it from a backup") from None

    def _part(self, session: str, path: Path, *, last: bool) -> list[Record]:
        """One epoch; only the last one may have a torn tail, for all before it was on disk when it began."""
        try:
            if self._parts is not None:
                return list(self._parts.read(path, may_be_torn=last))
            return list(records.read(path.read_bytes(), may_be_torn=last))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise SessionError(f"the log of session {session} cannot be read: {error.strerror}") from None
        except (journal.DamageError, records.RecordError) as error:
            which = "" if path.name == LOG else f"{path.name}: "
            raise SessionError(f"session {session}: {which}{error}; restore it from a backup") from None

    def logs(self, session: str) -> tuple[Path, ...]:
        """The files of a session's log in order; none when there is none. Raises ``SessionError``."""
        return session_logs.logs(self._folder_of(session))

    def size(self, session: str) -> int:
        """The bytes of all its files; 0 when there is no such session."""
        found = self.find(session)
        return 0 if found is None else found.size

    def turns_before(self, session: str) -> int:
        """The turns of the epochs before the last one: the model no longer sees those."""
        for path in reversed(self.logs(session)):
            start = session_logs.start_of(path)
            if start is not None:
                return start.turns
        return 0

    def exists(self, session: str) -> bool:
        """Whether there is a session of that name, be it damaged."""
        return session_logs.is_there(self._folder_of(session))

    def find(self, session: str) -> StoredSession | None:
        """What a listing knows of one session; None when there is none."""
        try:
            return StoredSession(session, *session_logs.state_of(str(self._folder_of(session))))
        except OSError:
            return None

    def list(self, limit: int | None = None) -> tuple[StoredSession, ...]:
        """The sessions by their last change, the newest first; at most ``limit`` when it is given."""
        found = self._stored()
        if limit is None:
            return tuple(sorted(found, key=_by_date, reverse=True))
        return tuple(heapq.nlargest(limit, found, key=_by_date))

    def _stored(self) -> Iterator[StoredSession]:
        try:
            entries = os.scandir(self.folder)
        except FileNotFoundError:
            return
        with entries:
            for entry in entries:
                if session_ids.problem(entry.name) is None:
                    with suppress(OSError):
                        yield StoredSession(entry.name, *session_logs.state_of(entry.path))

    def _folder_of(self, session: str) -> Path:
        problem = session_ids.problem(session)
        if problem is not None:
            raise SessionError(problem)
        return self.folder / session


def _by_date(stored: StoredSession) -> tuple[float, str]:
    return stored.updated_s, stored.session


__all__ = ["BASELINE", "LOG", "OpenSession", "SessionError", "SessionStore", "StoredSession", "new_log"]
