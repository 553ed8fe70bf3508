"""A damaged, torn, old or held index: made anew, refused with one sentence, or left as it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bxio import recall
from bxio.recall import RecallIndex, RecallIndexError
from bxio.recall import store as stores
from tests.bxio.recall.test_index import add, found, turn


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recall.sqlite"


@pytest.fixture
def index(path: Path) -> Iterator[RecallIndex]:
    opened = RecallIndex.open(path)
    yield opened
    opened.close()


def filled(path: Path) -> None:
    index = RecallIndex.open(path)
    add(index, *(turn(f"tin number{n} " + "word " * 50, number=n) for n in range(1, 100)))
    index.close()


def test_a_file_that_is_no_database_is_made_anew(path: Path) -> None:
    path.write_bytes(b"nonsense" * 1000)
    index = RecallIndex.open(path)
    assert index.made_anew == "damaged"
    assert index.counts() == (0, 0)
    index.close()


def test_an_index_that_lost_a_table_is_made_anew(path: Path) -> None:
    filled(path)
    db = sqlite3.connect(path)
    db.execute("DROP TABLE merged")
    db.close()
    index = RecallIndex.open(path)
    assert index.made_anew == "damaged"
    index.close()


def test_an_index_that_another_holds_is_not_dropped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **named: real(*args, **{**named, "timeout": 0.01}))
    holder = real(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(RecallIndexError, match=r"recall\.sqlite cannot be made: database is locked"):
        RecallIndex.open(path)
    holder.execute("ROLLBACK")
    holder.close()
    index = RecallIndex.open(path)
    assert (index.made_anew, index.counts()) == (None, (99, 0))
    index.close()


def test_an_index_of_another_version_is_made_anew(path: Path) -> None:
    filled(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    index = RecallIndex.open(path)
    assert (index.made_anew, index.counts()) == ("of another version", (0, 0))
    index.close()


def test_a_torn_page_is_found(path: Path) -> None:
    filled(path)
    data = bytearray(path.read_bytes())
    data[8192:12288] = b"\xa5" * 4096
    path.write_bytes(bytes(data))
    index = RecallIndex.open(path)
    assert index.made_anew == "damaged"
    index.close()


def test_damage_while_it_is_open_is_one_clear_error(path: Path) -> None:
    filled(path)
    index = RecallIndex.open(path)
    path.write_bytes(b"\xa5" * path.stat().st_size)
    with pytest.raises(RecallIndexError, match="cannot be used") as failed:
        index.search("tin", k=5, without="")
    assert failed.value.damaged
    index.close()
    recall.drop(path)
    assert not path.exists()


def test_a_failed_write_leaves_what_was_there(index: RecallIndex) -> None:
    add(index, turn("blue tin"))

    breaking = [turn("red box", number=2), replace(turn("a", number=3), reply=object())]  # type: ignore[arg-type]
    with pytest.raises(RecallIndexError, match="cannot be used") as failed:
        index.add_turns("k3f", breaking, size=99, upto=3)
    assert not failed.value.damaged
    assert found(index, "tin box") == ["blue tin"]
    assert index.turns_in("k3f") == 1


def test_a_folder_that_is_not_there_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(RecallIndexError, match="cannot be made"):
        RecallIndex.open(tmp_path / "no" / "recall.sqlite")


def test_damage_that_a_start_has_no_time_to_see_shows_when_it_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = RecallIndex.open(path)
    add(index, *(turn(f"tin {n} " + "word " * 300, number=n) for n in range(1, 400)))
    index.settle(1)
    index.close()
    data = bytearray(path.read_bytes())
    data[len(data) // 3 : len(data) // 3 + 40_000] = b"\xa5" * 40_000
    path.write_bytes(data)
    monkeypatch.setattr(stores, "LOOKED_THROUGH", 1_000)
    again = RecallIndex.open(path)
    assert again.made_anew is None
    with pytest.raises(RecallIndexError) as raised:
        [again.search(f"tin {number}", k=5, without="") for number in range(400)]
    assert raised.value.damaged
    assert "word" not in raised.value.sentence
    again.close()
    monkeypatch.undo()
    anew = RecallIndex.open(path)
    assert anew.made_anew == "damaged"
    anew.close()


def test_damage_that_is_met_while_it_is_opened_is_mended(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = RecallIndex.open(path)
    add(index, *(turn(f"tin {n} " + "word " * 300, number=n) for n in range(1, 400)))
    index.close()
    data = bytearray(path.read_bytes())
    data[len(data) // 3 : len(data) // 3 + 40_000] = b"\xa5" * 40_000
    path.write_bytes(data)
    monkeypatch.setattr(stores, "LOOKED_THROUGH", 1_000)
    again = RecallIndex.open(path)
    assert (again.made_anew, again.counts()) == ("damaged", (0, 0))
    again.close()
