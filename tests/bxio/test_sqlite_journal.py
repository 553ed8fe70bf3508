from __future__ import annotations

import sqlite3

import pytest

from bxio.sqlite_journal import journal_mode


@pytest.mark.parametrize(
    ("version", "mode"),
    [((3, 40, 1), "delete"), ((3, 51, 2), "delete"), ((3, 51, 3), "wal"), ((4, 0, 0), "wal")],
)
def test_only_a_sqlite_without_the_defect_writes_ahead(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], mode: str
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    assert journal_mode() == mode
