"""The sessions' folders: ``<folder>/<id>/0.jsonl`` and ``baseline.json`` beside it (spec 3.1, 3.2).

Of ten thousand sessions a listing reads names and dates only. One session's ``OpenSession`` belongs to one
thread; ``read``, ``list`` and ``exists`` may run in any thread beside it.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from bxcore import journal, records, session_ids
from bxcore.errors import SentenceError
from bxcore.records import Record
from bxio.folders import make_private, write_whole
from bxio.journal_file import JournalError, JournalFile

LOG = "0.jsonl"
BASELINE = "baseline.json"


def new_log() -> str:
    """A name for a log that is begun now: no other log has had it."""
    return uuid4().hex


class SessionError(SentenceError):
    """A session cannot be opened, read or written; ``sentence`` says which, why and what to do."""


@dataclass(frozen=True, slots=True)
class StoredSession:
    """What a listing knows without reading the log: ``updated_s`` is seconds since 1970."""

    session: str
    updated_s: float
    size: int


class OpenSession:
    """A session's log, open for appending and locked; ``records`` grows with what is appended."""

    def __init__(self, session: str, folder: Path, file: JournalFile, found: tuple[Record, ...]) -> None:
        self.session = session
        self.records = list(found)
        torn = file.torn
        self.torn_note: str | None = None
        """A line for the person when a crash had left a torn last line."""
        if torn is not None:
            self.torn_note = f"{torn.size} bytes of a torn last line were cut and kept in {torn.kept.name}"
        self._folder = folder
        self._file = file

    def append(self, added: Sequence[Record], *, sync: bool = True) -> None:
        """Add records in one write; with ``sync`` they and all before them are on disk when this returns.

        Raises ``SessionError``: after it the log and ``records`` are as before, or the log takes no more.
        """
        try:
            self._file.append([records.dump(record) for record in added], sync=sync)
        except JournalError as error:
            raise SessionError(error.sentence) from None
        self.records.extend(added)

    def save_baseline(self, data: bytes) -> None:
        """Keep the baseline, whole and lasting, before the log's first record names its sha256."""
        try:
            write_whole(self._folder / BASELINE, data)
        except OSError as error:
            raise SessionError(
                f"the baseline of session {self.session} cannot be saved: {error.strerror}"
            ) from None

    def baseline(self) -> bytes | None:
        """The saved baseline byte for byte, None when there is none."""
        try:
            return (self._folder / BASELINE).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SessionError(
                f"the baseline of session {self.session} cannot be read: {error.strerror}"
            ) from None

    def close(self) -> None:
        """Close the log and free its lock; a second call does nothing."""
        self._file.close()


class SessionStore:
    """All sessions below one folder, which is made (0700) when the first session is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def open(self, session: str) -> OpenSession:
        """Open or make a session; a torn tail is cut and said in ``torn_note``. Raises ``SessionError``."""
        folder = self._folder_of(session)
        try:
            make_private(folder)
        except OSError as error:
            raise SessionError(f"the folder of session {session} cannot be used: {error.strerror}") from None
        try:
            file = JournalFile.open(folder / LOG)
        except JournalError as error:
            raise SessionError(error.sentence) from None
        try:
            found = _parsed(session, file.payloads)
        except SessionError:
            file.close()
            raise
        return OpenSession(session, folder, file, found)

    def read(self, session: str) -> tuple[Record, ...]:
        """The records on file now, also while the session is open; empty when there is no such session.

        Raises ``SessionError`` for a damaged log.
        """
        try:
            data = (self._folder_of(session) / LOG).read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise SessionError(f"the log of session {session} cannot be read: {error.strerror}") from None
        try:
            return records.read(data)
        except (journal.DamageError, records.RecordError) as error:
            raise SessionError(f"session {session}: {error}") from None

    def exists(self, session: str) -> bool:
        """Whether there is a log of that name."""
        return (self._folder_of(session) / LOG).is_file()

    def find(self, session: str) -> StoredSession | None:
        """What a listing knows of one session; None when there is none."""
        try:
            log = (self._folder_of(session) / LOG).lstat()
        except OSError:
            return None
        return StoredSession(session, log.st_mtime, log.st_size)

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
                        log = os.stat(f"{entry.path}/{LOG}", follow_symlinks=False)  # noqa: PTH116 (a Path costs more)
                        yield StoredSession(entry.name, log.st_mtime, log.st_size)

    def _folder_of(self, session: str) -> Path:
        problem = session_ids.problem(session)
        if problem is not None:
            raise SessionError(problem)
        return self.folder / session


def _parsed(session: str, payloads: Sequence[str]) -> tuple[Record, ...]:
    try:
        return tuple(records.parse(payload, number) for number, payload in enumerate(payloads, start=1))
    except records.RecordError as error:
        raise SessionError(f"session {session}: {error}") from None


def _by_date(stored: StoredSession) -> tuple[float, str]:
    return stored.updated_s, stored.session
