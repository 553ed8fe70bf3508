"""Which of SQLite's journals a file of ours gets."""

from __future__ import annotations

import sqlite3

WAL_IS_SAFE = (3, 51, 3)
"""Before this version a write-ahead log could lose pages; the rollback journal cannot."""


def journal_mode() -> str:
    """The value for ``PRAGMA journal_mode``, by the SQLite that this Python brings."""
    return "wal" if sqlite3.sqlite_version_info >= WAL_IS_SAFE else "delete"
