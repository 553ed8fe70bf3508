"""Meanings in the index's own file, of a real SQLite and the real table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.recall_hits import Note
from bxcore.recall_time import span
from bxio.recall import RecallIndexError, meaning
from bxio.recall.meaning import Among, Meaning
from bxio.recall.meaning_table import DIMENSIONS
from bxio.recall.store import Store

BOILER = "The boiler went cold, so the landlord had its valve replaced."
DIET = "Doctor Halvorsen wants me to cut salt because of my blood pressure."
SHIP = "The ferry did not sail, there was too much swell."
ASKED = "what did the plumber fix in the heater?"
NOW = date(2026, 11, 18)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened, _ = Store.open(tmp_path / "recall.sqlite")
    yield opened
    opened.close()


def add(store: Store, *said: str, session: str = "a", at: str = "", label: Label = NEW_SESSION) -> list[int]:
    first = store.newest() + 1
    rows = [(turn, at, label, text, "noted") for turn, text in enumerate(said, first)]
    with store.writing():
        return store.add(session, rows)


def opened(store: Store) -> Meaning:
    with store.writing():
        return Meaning.open(store.connection)


def taken_in(store: Store, found: Meaning | None = None) -> Meaning:
    found = found or opened(store)
    with store.writing():
        found.add([(doc.place, doc.said, doc.reply) for doc in store.docs_from(found.upto, 100)])
    return found


def places(found: Meaning, query: str = ASKED, **among: object) -> list[int]:
    return [place for place, _ in found.nearest(query, 10, Among(**among))]  # type: ignore[arg-type]


def test_the_nearest_in_meaning_is_first_with_its_cosine(store: Store) -> None:
    add(store, DIET, BOILER, SHIP)
    near = taken_in(store).nearest(ASKED, 2, Among())
    assert near[0][0] == 2
    assert len(near) == 2
    assert 1.0 >= near[0][1] > near[1][1]


def test_a_text_has_a_cosine_of_about_1_with_itself(store: Store) -> None:
    add(store, BOILER)
    [(_, cosine)] = taken_in(store).nearest(BOILER, 1, Among())
    assert 0.99 < cosine <= 1.001


def test_what_comes_later_is_found_too(store: Store) -> None:
    add(store, DIET)
    found = taken_in(store)
    assert places(found) == [1]
    add(store, BOILER)
    assert places(taken_in(store, found))[0] == 2


def test_it_is_kept_over_a_restart(store: Store) -> None:
    add(store, DIET, BOILER)
    before = taken_in(store).nearest(ASKED, 5, Among())
    again = opened(store)
    assert again.upto == 2
    assert again.nearest(ASKED, 5, Among()) == before


def test_a_session_that_is_left_out_is_not_found_however_much_it_said(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meaning, "RESCORED", 3)
    add(store, *[f"{BOILER} Again, the {number}th time." for number in range(20)], session="own")
    add(store, DIET, session="b")
    found = taken_in(store)
    assert places(found, without="own") == [21]
    assert places(found, hidden=frozenset(range(1, 20))) == [20, 21]
    assert 21 not in places(found)[:3]


def test_a_trusted_look_finds_nothing_that_would_taint(store: Store) -> None:
    add(store, BOILER, label=Label(Level.PRIVATE, untrusted=True))
    add(store, BOILER, label=Label(Level.SECRET, untrusted=False))
    add(store, BOILER)
    found = taken_in(store)
    assert places(found, trusted_only=True) == [3]
    assert sorted(places(found)) == [1, 2, 3]


@pytest.mark.parametrize("few", [True, False])
def test_of_a_named_time_only_its_turns_are_found(
    store: Store,
    few: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both when they are looked at one by one, and when they are too many for that."""
    monkeypatch.setattr(meaning, "OF_A_TIME", 10 if few else 1)
    add(store, BOILER, at="2026-04-30T23:59:59Z")
    add(store, BOILER, SHIP, at="2026-05-31T23:59:59Z")
    add(store, BOILER, at="2026-06-01T00:00:00Z")
    add(store, BOILER)
    found = taken_in(store)
    assert places(found, span=span("in May", NOW)) == [2, 3]


def test_what_goes_from_the_store_leaves_no_meaning(store: Store) -> None:
    add(store, BOILER, DIET, session="gone")
    add(store, SHIP, session="kept")
    found = taken_in(store)
    assert 1 in places(found)
    with store.writing():
        gone = store.remove("gone")
    assert store.connection.execute("SELECT place FROM meanings").fetchall() == [(3,)]
    assert places(found) == [3]
    found.remove(gone)
    assert places(found) == [3]
    assert found._codes is not None
    assert len(found._codes) == 1


def test_what_goes_while_it_is_off_leaves_no_meaning_either(store: Store) -> None:
    add(store, BOILER)
    taken_in(store)
    with store.writing():
        store.remove("a")
    assert store.connection.execute("SELECT count(*) FROM meanings").fetchone() == (0,)


def test_a_note_has_a_meaning_too(store: Store) -> None:
    with store.writing():
        store.add_notes([Note(text=BOILER, label=NEW_SESSION)])
    assert places(taken_in(store)) == [1]


def test_a_short_text_means_what_its_reply_does(store: Store) -> None:
    with store.writing():
        store.add("a", [(1, "", NEW_SESSION, "go on", BOILER), (2, "", NEW_SESSION, DIET, BOILER)])
    assert places(taken_in(store))[0] == 1


@pytest.mark.parametrize("query", ["", "?!", "zzyx wug florp", "xq zk"])
def test_nonsense_is_near_to_nothing(store: Store, query: str) -> None:
    add(store, BOILER, DIET, SHIP)
    assert taken_in(store).nearest(query, 5, Among()) == []


def test_an_empty_index_has_nothing_near(store: Store) -> None:
    assert taken_in(store).nearest(ASKED, 5, Among()) == []


def test_what_another_table_made_is_made_anew(store: Store) -> None:
    add(store, BOILER)
    taken_in(store)
    with store.writing():
        store.connection.execute("UPDATE meant SET made_by = 'another table'")
    again = opened(store)
    assert again.upto == 0
    assert store.connection.execute("SELECT count(*) FROM meanings").fetchone() == (0,)
    assert places(taken_in(store, again)) == [1]


def test_a_failed_write_leaves_what_was_there(store: Store) -> None:
    add(store, BOILER)
    found = taken_in(store)
    add(store, DIET)
    with pytest.raises(RecallIndexError, match="UNIQUE"), store.writing():
        found.add([(2, DIET, ""), (2, DIET, "")])
    again = opened(store)
    assert again.upto == Meaning.taken_in(store.connection) == 1
    assert places(taken_in(store, again)) == [1, 2]


def test_a_vector_takes_a_byte_a_dimension(store: Store) -> None:
    add(store, BOILER)
    taken_in(store)
    [(vector,)] = store.connection.execute("SELECT vector FROM meanings")
    assert len(vector) == DIMENSIONS


def test_nothing_is_taken_in_where_it_never_was_on(store: Store) -> None:
    assert Meaning.taken_in(store.connection) == 0
