"""The files that a session's log is: ``0.jsonl``, ``1.jsonl``, …, one an epoch (spec 3.1, 3.4).

``0.jsonl`` carries the lock of all of them. A session that has lost one is refused, and is no new one.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from bxcore import journal, records, session_files
from bxcore.errors import SentenceError
from bxcore.records import SessionStart
from bxcore.session_files import BASELINE, LOG, is_log, is_torn

FIRST_LINE = 64 * 1024
"""Bytes; the first record of a file is shorter, the summary of an epoch with it."""
_RESTORE = "restore it from a backup, or talk in another session"


class SessionError(SentenceError):
    """A session cannot be opened, read or written; ``sentence`` says which, why and what to do."""


def log_path(folder: Path, epoch: int) -> Path:
    """The file of an epoch, counted from 0."""
    return folder / f"{epoch}.jsonl"


def logs(folder: Path) -> tuple[Path, ...]:
    """The files in order; none when there is no session.

    Raises ``SessionError`` when one is missing, or empty though it had begun.
    """
    try:
        names = frozenset(os.listdir(folder))  # noqa: PTH208 (names only)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise SessionError(f"the log of session {folder.name} cannot be read: {error.strerror}") from None
    wrong = session_files.incomplete(names, lambda name: _size(folder / name))
    if wrong is not None:
        raise _damaged(folder, wrong)
    return tuple(log_path(folder, epoch) for epoch in session_files.epochs_of(names))


def _size(path: Path) -> int | None:
    """Its bytes; None when nobody can say, and who reads it will."""
    try:
        return path.stat().st_size
    except OSError:
        return None


def check_begun(path: Path) -> None:
    """Raises ``SessionError`` for a file that had begun and has no whole line left.

    One with whole lines behind a damaged one is left to who reads on.
    """
    if path.name == LOG and not (path.parent / BASELINE).exists():
        return
    try:
        with path.open("rb") as file:
            if journal.recover(file.readline(FIRST_LINE)).payloads:
                return
            file.seek(0)
            journal.recover(file.read())
    except (OSError, journal.DamageError):
        return
    raise _damaged(path.parent, f"{path.name} {session_files.NO_LINE}")


def _damaged(folder: Path, what: str) -> SessionError:
    return SessionError(f"session {folder.name}: {what}; {_RESTORE}")


def torn_tails(folder: Path) -> list[Path]:
    """What was cut from the log after crashes, kept beside it."""
    with suppress(FileNotFoundError):
        return sorted(path for path in folder.iterdir() if is_torn(path.name))
    return []


def is_there(folder: Path) -> bool:
    """Whether there is a session, be it damaged."""
    try:
        state_of(str(folder))
    except OSError:
        return False
    return True


def state_of(folder: str) -> tuple[float, int]:
    """Last change (seconds since 1970) and bytes of all files, without reading any. Raises ``OSError``.

    Of a session that has lost its first file, the last change of what is left, and no byte.
    """
    try:
        found = os.stat(f"{folder}/{LOG}", follow_symlinks=False)  # noqa: PTH116 (a Path costs more)
    except FileNotFoundError:
        left = [entry for entry in os.scandir(folder) if is_log(entry.name) or entry.name == BASELINE]
        if not left:
            raise
        return max(entry.stat(follow_symlinks=False).st_mtime for entry in left), 0
    updated_s, size = found.st_mtime, found.st_size
    with suppress(OSError):
        for epoch in count(1):
            found = os.stat(f"{folder}/{epoch}.jsonl", follow_symlinks=False)  # noqa: PTH116 (as above)
            updated_s, size = max(updated_s, found.st_mtime), size + found.st_size
    return updated_s, size


def start_of(path: Path) -> SessionStart | None:
    """The record that a file begins with; None when that cannot be read or is no start."""
    try:
        with path.open("rb") as file:
            found = records.read(file.readline(FIRST_LINE))
    except (OSError, records.RecordError, journal.DamageError):
        return None
    first = next(iter(found), None)
    return first if isinstance(first, SessionStart) else None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """With the log's lock, whatever stands in it; without a first file there is nothing to lock.

    Raises ``SessionError`` when it is open elsewhere, ``OSError``.
    """
    try:
        descriptor = lock(folder)
    except FileNotFoundError:  # a start that never came to its first record
        yield
        return
    try:
        yield
    finally:
        os.close(descriptor)


def lock(folder: Path) -> int:
    """A descriptor that holds the log's lock until it is closed. Raises as ``locked`` does."""
    path = folder / LOG
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _check_in_place(path, os.fstat(descriptor))
    except BlockingIOError:
        os.close(descriptor)
        raise SessionError(f"{path} is open elsewhere; close it there first") from None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check_in_place(path: Path, held: os.stat_result) -> None:
    """The lock of a file says nothing of one that was put in its place."""
    there = path.lstat()
    if (there.st_dev, there.st_ino) != (held.st_dev, held.st_ino):
        raise SessionError(f"{path} was written anew just now; try again")
