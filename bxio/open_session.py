"""A session's log while it is open: locked, appended to, gone on with in a new epoch (spec 3.1, 3.4).

Only the last epoch's file is read: its start has the label and the number of turns of all before it. An epoch
begins when its file lies whole under its name; all of the one before is on disk then.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bxcore import journal, records
from bxcore.errors import system_reason
from bxcore.labels import Label
from bxcore.records import Record, SessionStart
from bxcore.session_files import BASELINE, LOG, NEXT
from bxcore.session_fold import SoFar
from bxio.folders import sync_folder, write_whole
from bxio.journal_file import JournalError, JournalFile
from bxio.session_logs import SessionError, check_begun, lock, log_path, logs


class OpenSession:
    """Used by one thread. ``records`` are those of the last epoch, and grow with what is appended."""

    def __init__(
        self, session: str, folder: Path, file: JournalFile, found: Sequence[Record], *, held: int = -1
    ) -> None:
        self.session = session
        self.records = list(found)
        self.torn_note: str | None = None
        """A line for the person when a crash had left a torn last line."""
        self._so_far = SoFar(found)
        self._folder = folder
        self._file = file
        self._unnamed = False
        """Whether the baseline is to have its name once a record is on disk."""
        self._lock = held
        """A descriptor that holds the lock, when the file is not the one that carries it; else -1."""

    @property
    def label(self) -> Label:
        """The session's label so far, over all epochs."""
        return self._so_far.label

    @property
    def turns(self) -> int:
        """Its turns so far, in all epochs."""
        return self._so_far.turns

    @property
    def epoch(self) -> int:
        """The number of the last epoch, from 0."""
        return self._so_far.epoch

    @property
    def closed(self) -> bool:
        """Whether it takes no more, by ``close`` or by an epoch that could not begin."""
        return self._file.closed

    def append(self, added: Sequence[Record], *, sync: bool = True) -> None:
        """Add records in one write; with ``sync`` they and all before them are on disk when this returns.

        Raises ``SessionError``: after it the log and ``records`` are as before, or the log takes no more.
        """
        try:
            self._file.append([records.dump(record) for record in added], sync=sync)
        except JournalError as error:
            raise SessionError(error.sentence) from None
        self.records.extend(added)
        self._so_far.take(added)
        if sync:
            self._name_baseline()

    def begin_epoch(self, start: SessionStart) -> None:
        """Go on in a new file that begins with ``start``; on disk when this returns.

        Raises ``SessionError``: then the log is closed, and the next ``open`` finds it before or behind.
        """
        path = log_path(self._folder, start.epoch)
        try:
            self._file.append((), sync=True)
            write_whole(path, journal.written([records.dump(start)]))
            file = JournalFile.open(path)
        except JournalError as error:
            self.close()
            raise SessionError(error.sentence) from None
        except OSError as error:
            self.close()
            raise SessionError(f"{path} cannot be written: {system_reason(error)}") from None
        self._keep_lock()
        self._file = file
        self.records = [start]
        self._so_far = SoFar(self.records)
        self._name_baseline()

    def _keep_lock(self) -> None:
        """The first file stays open for its lock; any other one was closed."""
        if self._lock < 0:
            self._lock = self._file.let_go()
        else:
            self._file.close()

    def save_baseline(self, data: bytes) -> None:
        """Keep the baseline, whole and lasting, before the log's next record names its sha256.

        It has its name when that record is on disk, so a log without one beside it is no new session.
        """
        try:
            write_whole(self._folder / NEXT, data)
        except OSError as error:
            raise SessionError(
                f"the baseline of session {self.session} cannot be saved: {error.strerror}"
            ) from None
        self._unnamed = True

    def _name_baseline(self) -> None:
        """A crash before it, or a failure, leaves that to the next record."""
        if self._unnamed:
            with suppress(OSError):
                (self._folder / NEXT).rename(self._folder / BASELINE)
                sync_folder(self._folder)
                self._unnamed = False

    def baseline(self) -> bytes | None:
        """The saved baseline byte for byte, None when there is none."""
        try:
            return self._read_baseline()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SessionError(
                f"the baseline of session {self.session} cannot be read: {error.strerror}; make "
                f"{self._folder / BASELINE} readable, or move it away to go on with a new one"
            ) from None

    def _read_baseline(self) -> bytes:
        try:
            return (self._folder / BASELINE).read_bytes()
        except FileNotFoundError:
            found = (self._folder / NEXT).read_bytes()
            self._unnamed = True
            return found

    def set_aside_baseline(self) -> Path | None:
        """Keep a damaged baseline under another name, lasting; None when there is none."""
        path, number = self._folder / BASELINE, 1
        while (kept := path.with_name(f"{BASELINE}.damaged-{number}")).exists():
            number += 1
        try:
            path.rename(kept)
            sync_folder(self._folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SessionError(f"{path} cannot be moved away: {system_reason(error)}") from None
        return kept

    def close(self) -> None:
        """Close the log and free its lock; a second call does nothing."""
        self._file.close()
        descriptor, self._lock = self._lock, -1
        if descriptor >= 0:
            os.close(descriptor)


def open_session(session: str, folder: Path) -> OpenSession:
    """Open or make the log below ``folder``; a torn tail is cut and said in ``torn_note``.

    Raises ``SessionError``, and changes nothing, for a log that had begun and has lost its turns.
    """
    try:
        if len(logs(folder)) > 1:
            return _opened_later(session, folder)
        check_begun(folder / LOG)
        file = JournalFile.open(folder / LOG)
    except JournalError as error:
        raise SessionError(error.sentence) from None
    except OSError as error:
        raise SessionError(f"the log of session {session} cannot be opened: {system_reason(error)}") from None
    try:
        if len(logs(folder)) > 1:
            raise SessionError(f"session {session} was written just now; try again")  # noqa: TRY301
        return _made(session, folder, file)
    except BaseException:
        file.close()
        raise


def _opened_later(session: str, folder: Path) -> OpenSession:
    """One with more files than the first, under the first one's lock."""
    held = lock(folder)
    file = None
    try:
        path = logs(folder)[-1]
        check_begun(path)
        file = JournalFile.open(path)
        return _made(session, folder, file, held=held)
    except BaseException:
        if file is not None:
            file.close()
        os.close(held)
        raise


def _made(session: str, folder: Path, file: JournalFile, *, held: int = -1) -> OpenSession:
    try:
        found = [records.parse(payload, number) for number, payload in enumerate(file.payloads, start=1)]
    except records.RecordError as error:
        raise SessionError(f"session {session}: {error}") from None
    epoch = int(file.path.stem)
    if epoch and not (isinstance(found[0], SessionStart) and found[0].epoch == epoch):
        raise SessionError(
            f"session {session}: {file.path.name} does not begin with its start; restore it from a backup"
        )
    made = OpenSession(session, folder, file, found, held=held)
    made.torn_note = _torn_note(file) or None
    return made


def _torn_note(file: JournalFile) -> str:
    torn = file.torn
    return (
        "" if torn is None else f"{torn.size} bytes of a torn last line were cut and kept in {torn.kept.name}"
    )
