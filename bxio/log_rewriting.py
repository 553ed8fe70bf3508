"""A session's log without some of its texts, and a session taken away whole (spec 3.1, 4.7).

Only for a session that is not open: whoever has its log open holds its lock. Each step may be done again.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Collection
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bxcore import forgetting, journal, records
from bxcore.errors import system_reason
from bxio import whole_results
from bxio.folders import sync_folder, write_whole
from bxio.journal_file import JournalError, JournalFile
from bxio.session_store import LOG, SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator


def forget_turns(folder: Path, turns: Collection[int]) -> None:
    """Take the texts of these turns out of the log below ``folder``, with their whole results and torn tails.

    Raises ``SessionError``; then the log is as before, or as it is to be.
    """
    with _locked(folder) as file:
        found = tuple(records.parse(payload, number) for number, payload in enumerate(file.payloads, 1))
        _remove(*(whole_results.place(folder, call) for call in forgetting.calls_of(found, turns)))
        _remove(*folder.glob(f"{LOG}.torn-*"))
        left = map(records.dump, forgetting.without(found, turns))
        write_whole(folder / LOG, journal.written(left))


def forget_session(folder: Path) -> None:
    """Take everything below ``folder`` away, the log last of all names. Raises ``SessionError``."""
    if not folder.exists():
        return
    with _locked(folder):
        gone = folder.with_name(f".{folder.name}.forgotten")
        shutil.rmtree(gone, ignore_errors=True)
        folder.rename(gone)
        sync_folder(folder.parent)
        shutil.rmtree(gone)
        sync_folder(folder.parent)


def sweep(sessions: Path) -> None:
    """Take away what a crash left of sessions that were being taken away."""
    for half in sessions.glob(".*.forgotten"):
        shutil.rmtree(half, ignore_errors=True)


def is_open(folder: Path) -> bool:
    """Whether a session's log is open somewhere, and so not to be rewritten."""
    try:
        descriptor = os.open(folder / LOG, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


@contextmanager
def _locked(folder: Path) -> Iterator[JournalFile]:
    try:
        file = JournalFile.open(folder / LOG)
    except JournalError as error:
        raise SessionError(error.sentence) from None
    try:
        yield file
    except records.RecordError as error:
        raise SessionError(f"session {folder.name}: {error}") from None
    except OSError as error:
        reason = system_reason(error)
        raise SessionError(f"session {folder.name} cannot be forgotten: {reason}; try again") from None
    finally:
        file.close()


def _remove(*paths: Path) -> None:
    for path in paths:
        with suppress(FileNotFoundError):
            path.unlink()
