"""A session's log without some of its texts, and a session taken away whole (spec 3.1, 4.7).

Only for a session that is not open: whoever has its log open holds its lock. Each step may be done again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bxcore import forgetting, journal, records
from bxcore.errors import system_reason
from bxcore.session_files import LOG
from bxio import session_logs, whole_results
from bxio.folders import sync_folder, write_whole
from bxio.journal_file import JournalError, JournalFile
from bxio.session_logs import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator


def log_name(folder: Path) -> str:
    """What tells the log from others of the session's name, by its first line; empty when that is not there.

    A log that is damaged further on has its name all the same.
    """
    start = session_logs.start_of(folder / LOG)
    return start.log if start is not None else ""


def forget_turns(folder: Path, turns: Collection[int]) -> None:
    """Take the texts of these turns out of the log below ``folder``, with their whole results and torn tails.

    No summary of the session's turns is left either. Raises ``SessionError``; then each file of the log is as
    before, or as it is to be.
    """
    with _telling(folder), ExitStack() as stack:
        first, *later = session_logs.logs(folder) or (folder / LOG,)
        files = [stack.enter_context(_opened(path)) for path in (first, *later)]
        remove(*session_logs.torn_tails(folder))
        for file in reversed(files):  # the first one last: with its new file the lock is free
            _forget_in(folder, file, turns)


def _forget_in(folder: Path, file: JournalFile, turns: Collection[int]) -> None:
    found = tuple(records.parse(payload, number) for number, payload in enumerate(file.payloads, 1))
    remove(*(whole_results.place(folder, call) for call in forgetting.calls_of(found, turns)))
    left = forgetting.without(found, turns)
    if left != found:
        write_whole(file.path, journal.written(map(records.dump, left)))


def forget_session(folder: Path, work: Path | None = None) -> str | None:
    """Take everything below ``folder`` away, its work folder first and its name before its files.

    A damaged log goes too. Gives a sentence when something of the work folder cannot be removed, which tools
    may have written as another user. Raises ``SessionError``.
    """
    if not folder.exists():
        return None
    with _telling(folder), session_logs.locked(folder):
        stays = None if work is None else _without_work(work)
        gone = folder.with_name(f".{folder.name}.forgotten")
        shutil.rmtree(gone, ignore_errors=True)
        folder.rename(gone)
        sync_folder(folder.parent)
        shutil.rmtree(gone)
        sync_folder(folder.parent)
    return stays


def _without_work(work: Path) -> str | None:
    problems: list[BaseException] = []
    with suppress(RecursionError):  # a tool may nest folders so deep
        shutil.rmtree(work, onerror=lambda _call, _path, found: problems.append(found[1]))
    if not os.path.lexists(work):
        return None
    reasons = (system_reason(found) for found in problems if isinstance(found, OSError))
    reason = next(reasons, "its folders are nested too deep")
    return f"its work folder {work} cannot be removed: {reason}; remove it as the user who may"


def remove(*paths: Path) -> None:
    """Remove files for good; one that is not there is as good. Raises ``OSError``."""
    for path in paths:
        with suppress(FileNotFoundError):
            path.unlink()
    for folder in {path.parent for path in paths}:
        with suppress(FileNotFoundError):
            sync_folder(folder)


def sweep(sessions: Path) -> None:
    """Take away what a crash left of sessions that were being taken away."""
    for half in sessions.glob(".*.forgotten"):
        shutil.rmtree(half, ignore_errors=True)


def is_open(folder: Path) -> bool:
    """Whether a session's log is open somewhere, and so not to be rewritten."""
    try:
        with session_logs.locked(folder):
            return False
    except SessionError:
        return True
    except OSError:
        return False


@contextmanager
def _telling(folder: Path) -> Iterator[None]:
    """Have what goes wrong as a ``SessionError``."""
    try:
        yield
    except JournalError as error:
        raise SessionError(error.sentence) from None
    except records.RecordError as error:
        raise SessionError(f"session {folder.name}: {error}") from None
    except OSError as error:
        reason = system_reason(error)
        raise SessionError(f"session {folder.name} cannot be forgotten: {reason}; try again") from None


@contextmanager
def _opened(path: Path) -> Iterator[JournalFile]:
    file = JournalFile.open(path)
    try:
        yield file
    finally:
        file.close()
