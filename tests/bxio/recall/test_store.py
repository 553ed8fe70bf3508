"""The texts of the index: what of which log is in, each change whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.recall_hits import Note
from bxio.recall.errors import RecallIndexError
from bxio.recall.store import NOTHING, Doc, Merged, Store, remove, unsound
from bxio.sqlite_journal import journal_mode

SECRET = Label(Level.SECRET, untrusted=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recall.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    opened, why = Store.open(path)
    assert why == "missing"
    yield opened
    opened.close()


def fill(store: Store) -> list[int]:
    with store.writing():
        store.note_log("k3f", "l1", 100, 2)
        return store.add("k3f", [(1, "", NEW_SESSION, "a", "b"), (2, "", SECRET, "cc", "dd")])


def test_places_grow_and_are_never_used_twice(store: Store) -> None:
    first, second = fill(store)
    assert first < second == store.newest()
    with store.writing():
        assert store.remove("k3f", [2, 7]) == [second]
        [third] = store.add("k3f", [(2, "", NEW_SESSION, "x", "y")])
    assert third > second


def test_a_log_is_known_by_its_name_size_and_turns(store: Store) -> None:
    fill(store)
    assert (store.log_of("k3f"), store.log_of("none"), store.sizes()) == (("l1", 2), ("", 0), {"k3f": 100})
    store.resize_log("k3f", 60)
    assert store.sizes() == {"k3f": 60}
    store.forget_log("k3f")
    assert store.sizes() == {}


def test_what_the_words_take_in_comes_in_order_and_without_notes(store: Store) -> None:
    first, second = fill(store)
    with store.writing():
        store.add_notes([Note(text="n", label=NEW_SESSION)])
    assert store.turns_from(0, 10) == [Doc(first, "k3f", "a", "b", 0), Doc(second, "k3f", "cc", "dd", 1)]
    assert store.turns_from(first, 10) == [Doc(second, "k3f", "cc", "dd", 1)]
    assert len(store.turns_from(0, 1)) == 1
    assert (store.count_from(0), store.count_from(first), store.counts()) == (2, 1, (2, 1))
    assert [note.said for note in store.notes()] == ["n"]


def test_what_is_merged_is_kept(store: Store) -> None:
    fill(store)
    assert store.merged() == NOTHING
    merged = NOTHING.more(store.turns_from(0, 10))
    assert merged == Merged(store.newest(), 2, 6)
    store.note_merged(merged)
    assert store.merged() == merged


def test_a_change_that_breaks_off_changes_nothing(store: Store) -> None:
    fill(store)
    with pytest.raises(RecallIndexError), store.writing():
        store.note_log("k3f", "l1", 100, None)  # type: ignore[arg-type]
    assert store.log_of("k3f") == ("l1", 2)
    assert store.counts() == (2, 0)


def test_what_sqlite_says_is_one_clear_error(store: Store) -> None:
    store.close()
    with pytest.raises(RecallIndexError, match="cannot be used"), store.reading():
        store.counts()


def test_a_sound_file_is_sound_and_a_removed_one_is_none(path: Path, store: Store) -> None:
    fill(store)
    store.close()
    assert unsound(path) is None
    remove(path)
    assert list(path.parent.iterdir()) == []
    assert unsound(path) is None


def test_the_oldest_are_those_that_were_quiet_for_longest(store: Store) -> None:
    for session, turn in (("a", 1), ("b", 1), ("b", 2), ("a", 2), ("c", 1)):
        store.add(session, [(turn, "", NEW_SESSION, "x", "y")])
    store.add_notes([Note(text="n", label=NEW_SESSION)])
    assert store.oldest(0) == []
    assert store.oldest(1) == ["b"]
    assert store.oldest(2) == ["b"]
    assert store.oldest(3) == ["b", "a"]
    assert store.oldest(99) == ["b", "a"]


def test_what_is_no_text_is_damage_and_is_quoted_to_nobody(path: Path, store: Store) -> None:
    [place, _] = fill(store)
    store.connection.execute("UPDATE docs SET said = CAST(x'6d61726d616c616465ff' AS TEXT)")
    with pytest.raises(RecallIndexError) as raised, store.reading():
        store.hits([(place, 1.0)])
    assert raised.value.damaged
    assert raised.value.sentence == "the recall index cannot be used: a text in it is none"


@pytest.mark.skipif(journal_mode() == "wal", reason="with a write-ahead log no reader holds a commit up")
def test_a_commit_that_fails_is_taken_back_and_is_no_damage(path: Path, store: Store) -> None:
    store.connection.execute("PRAGMA busy_timeout = 10")
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM docs").fetchall()
    with pytest.raises(RecallIndexError) as raised, store.writing():
        store.add("a", [(1, "", NEW_SESSION, "x", "y")])
    assert not raised.value.damaged
    reader.close()
    with store.writing():
        store.add("b", [(1, "", NEW_SESSION, "x", "y")])
    assert store.counts() == (1, 0)
