"""The embedded server's one SQLite connection: each use is a transaction, waited for by a deadline."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bxio.embedded_honcho.schema import TABLES, VERSION
from bxio.sqlite_journal import journal_mode

_NO_DAMAGE = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
}
"""SQLite's result codes for which the file itself is not at fault."""


_MERGE_WORDS = "INSERT INTO message_text (message_text) VALUES ('optimize')"
"""A deleted row's words stay in the word index until its parts are merged: 0.1 s for 50,000 messages."""
_EMPTY_THE_LOG = "PRAGMA wal_checkpoint(TRUNCATE)"
"""A write-ahead log keeps old pages until it is emptied; without one this does nothing."""


class DamagedDatabase(Exception):  # noqa: N818 - named for what is wrong
    """The file cannot be used; the text says which one and what to do."""


class Database:
    """Opens ``path``, making it (0600) when it is not there. Any thread."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
        try:
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        except sqlite3.DatabaseError as error:
            raise DamagedDatabase(f"{path} {_what_is_wrong(error)}") from error
        try:
            self._prepare(path)
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise DamagedDatabase(f"{path} {_what_is_wrong(error)}") from error
        except DamagedDatabase:
            self._connection.close()
            raise

    @contextlib.contextmanager
    def transaction(self, within_s: float, *, erasing: bool = False) -> Iterator[sqlite3.Connection]:
        """Hold the connection in a transaction, rolled back on any exception.

        After an ``erasing`` one, what it deleted is in no file any more, its journal included.
        Raises ``TimeoutError`` when it is not free within ``within_s`` seconds.
        """
        if within_s <= 0 or not self._lock.acquire(timeout=within_s):
            raise TimeoutError("the embedded honcho is busy")
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                if erasing:
                    self._connection.execute(_MERGE_WORDS)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # a full disk has rolled it back by itself
                    self._connection.execute("ROLLBACK")
                raise
            if erasing:
                self._connection.execute(_EMPTY_THE_LOG)
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the file, after the transaction under way or five seconds."""
        with_lock = self._lock.acquire(timeout=5.0)
        self._connection.close()
        if with_lock:
            self._lock.release()

    def _prepare(self, path: Path) -> None:
        run = self._connection.execute
        self._connection.row_factory = sqlite3.Row
        for pragma in (
            f"journal_mode = {journal_mode()}",
            "synchronous = extra",  # the folder too is synced when a rollback journal is removed
            "secure_delete = on",
            "foreign_keys = on",
            "trusted_schema = off",
            "cell_size_check = on",
            "busy_timeout = 5000",
        ):
            run(f"PRAGMA {pragma}")
        self._connection.create_function("has_all", 2, _has_all, deterministic=True)
        version = run("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise DamagedDatabase(f"{path} was written by a newer boxmaker; use that one, or move it aside")
        if version == 0:
            self._connection.executescript(f"BEGIN;{TABLES}PRAGMA user_version = {VERSION};COMMIT;")
        if run("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("quick_check")
        run(_EMPTY_THE_LOG)


def _what_is_wrong(error: sqlite3.DatabaseError) -> str:
    """A full disk or a locked file is no damage: who moved the file aside for it would lose a memory."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in _NO_DAMAGE:
        return f"cannot be used: {error}; make it writable for this user, or free space"
    return f"is damaged ({type(error).__name__}); move it aside, or put a backup in its place"


def _has_all(stored: str, wanted: str) -> bool:
    """Whether the metadata ``stored`` contains ``wanted``, both JSON texts."""
    return _contains(json.loads(stored), json.loads(wanted))


def _contains(stored: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return isinstance(stored, dict) and all(
            key in stored and _contains(stored[key], value) for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(stored, list) and all(any(_contains(s, w) for s in stored) for w in wanted)
    return isinstance(stored, bool) == isinstance(wanted, bool) and bool(stored == wanted)
