from __future__ import annotations

import resource
import signal
import sqlite3
import threading
from pathlib import Path

import pytest

from bxio.embedded_honcho.database import DamagedDatabase, Database
from bxio.sqlite_journal import journal_mode


def test_the_file_is_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "honcho.sqlite"
    Database(path).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_was_committed_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "honcho.sqlite"
    for expected in (0, 1):
        database = Database(path)
        with database.transaction(5) as tx:
            assert tx.execute("SELECT count(*) FROM workspaces").fetchone()[0] == expected
            tx.execute("INSERT INTO workspaces VALUES (?, 'u', '{}', '{}', 'now')", (f"w{expected}",))
        database.close()


def test_a_failure_takes_everything_back(tmp_path: Path) -> None:
    database = Database(tmp_path / "honcho.sqlite")
    with pytest.raises(sqlite3.IntegrityError), database.transaction(5) as tx:
        tx.executemany("INSERT INTO workspaces VALUES (?, 'u', '{}', '{}', 'now')", [("w",), ("w",)])
    with database.transaction(5) as tx:
        assert tx.execute("SELECT count(*) FROM workspaces").fetchone()[0] == 0
    database.close()


def test_a_busy_database_is_not_waited_for_beyond_the_deadline(tmp_path: Path) -> None:
    database = Database(tmp_path / "honcho.sqlite")
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with database.transaction(5):
            held.set()
            release.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(10)
    with pytest.raises(TimeoutError), database.transaction(0.05):
        pass
    release.set()
    holder.join(timeout=10)
    database.close()


def test_a_disk_without_room_is_not_called_damage(tmp_path: Path) -> None:
    path = tmp_path / "honcho.sqlite"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(DamagedDatabase, match=r"honcho.sqlite cannot be used: .*free space$"):
            Database(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    Database(path).close()


def test_the_journal_is_one_that_loses_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "honcho.sqlite")
    with database.transaction(5) as tx:
        mode = tx.execute("PRAGMA journal_mode").fetchone()[0]
        assert tx.execute("PRAGMA synchronous").fetchone()[0] == 3, "extra: the folder is synced too"
        assert tx.execute("PRAGMA secure_delete").fetchone()[0] == 1
    assert mode == journal_mode()
    database.close()


@pytest.mark.parametrize(
    "junk", [b"not a database at all, by any means" * 40, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_damaged_file_is_refused_and_left_as_it_is(tmp_path: Path, junk: bytes) -> None:
    path = tmp_path / "honcho.sqlite"
    path.write_bytes(junk)
    with pytest.raises(DamagedDatabase, match=r"honcho\.sqlite is damaged .*; move it aside"):
        Database(path)
    assert path.read_bytes() == junk


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "honcho.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(DamagedDatabase, match="newer boxmaker"):
        Database(path)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "honcho.sqlite").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="honcho"):
        Database(tmp_path / "honcho.sqlite")
