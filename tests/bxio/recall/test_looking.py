"""A question through the whole index: words, meaning and the time that it names."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from bxcore.finished_turns import FinishedTurn
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.recall_hits import Note
from bxio.recall import RecallIndex

TODAY = date(2026, 11, 18)
BOILER = "The boiler went cold, so the landlord had its valve replaced."
DIET = "Doctor Halvorsen wants me to cut salt because of my blood pressure."


@pytest.fixture(params=["in the tail", "in the words"])
def index(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[RecallIndex]:
    opened = RecallIndex.open(tmp_path / "recall.sqlite", semantic=True)
    opened.settled = request.param == "in the words"  # type: ignore[attr-defined]  # for add, below
    yield opened
    opened.close()


def add(index: RecallIndex, *said: tuple[str, str], session: str = "a", label: Label = NEW_SESSION) -> None:
    """Each with its day."""
    begun = index.turns_in(session)
    turns = [
        FinishedTurn(
            session=session, turn=turn, at=f"{day}T10:00:00Z", user=text, reply="Noted.", label=label
        )
        for turn, (day, text) in enumerate(said, begun + 1)
    ]
    index.add_turns(session, turns, size=1, upto=begun + len(said))
    if index.settled:  # type: ignore[attr-defined]
        index.settle(1)


def found(
    index: RecallIndex, query: str, *, k: int = 5, without: str = "", trusted_only: bool = False
) -> list[str]:
    hits = index.search(query, k=k, without=without, trusted_only=trusted_only, today=TODAY)
    return [hit.said for hit in hits]


def test_what_is_asked_in_other_words_is_found(index: RecallIndex) -> None:
    add(index, ("2026-03-01", DIET), ("2026-03-02", BOILER), ("2026-03-03", "The ferry did not sail."))
    assert found(index, "what did the plumber fix in the heater?", k=1) == [BOILER]


def test_a_name_is_found_by_its_word(index: RecallIndex) -> None:
    add(index, ("2026-03-01", DIET), ("2026-03-02", BOILER))
    assert found(index, "Halvorsen?", k=1) == [DIET]


def test_what_has_every_word_goes_before_what_only_means_it(index: RecallIndex) -> None:
    said = "The weather was bad all day and we stayed in."
    turn = FinishedTurn(
        session="b", turn=1, at="", user=said, reply="Quill, Halvorsen: salary.", label=NEW_SESSION
    )
    index.add_turns("b", [turn], size=1, upto=1)
    add(index, ("2026-03-02", "The wages went up by a tenth."))
    assert found(index, "Quill, Halvorsen, salary?") == [said, "The wages went up by a tenth."]


def test_nonsense_finds_nothing(index: RecallIndex) -> None:
    add(index, ("2026-03-01", DIET), ("2026-03-02", BOILER))
    assert found(index, "zzyx wug florp?") == []
    assert found(index, "?!") == []


RAN = [
    ("2026-05-03", "Ran eight kilometres in forty-four minutes."),
    ("2026-07-03", "Ran twelve kilometres along the dyke."),
    ("2026-11-12", "Ran five, in twenty-five minutes flat."),
]


@pytest.mark.parametrize(
    ("when", "which"), [("in May", 0), ("on 3 July", 1), ("last week", 2), ("six months ago", 0)]
)
def test_the_time_that_is_named_goes_before_the_fit(index: RecallIndex, when: str, which: int) -> None:
    add(index, *RAN)
    assert found(index, f"how far did I run {when}?")[0] == RAN[which][1]


def test_what_was_said_at_another_time_comes_behind(index: RecallIndex) -> None:
    """The time may be what the text is of, not when it was said."""
    add(index, ("2026-01-05", "The wedding in Fez is in May, and we are invited."), *RAN)
    assert "The wedding in Fez is in May, and we are invited." in found(index, "where is the wedding in May?")


def test_a_time_alone_finds_what_was_said_then_the_newest_first(index: RecallIndex) -> None:
    add(index, *RAN, ("2026-11-10", DIET))
    assert found(index, "last week")[:2] == [RAN[2][1], DIET]


def test_a_time_with_nothing_said_falls_back_to_all(index: RecallIndex) -> None:
    add(index, *RAN)
    assert found(index, "how far did I run in February?") != []


def test_neither_way_finds_the_running_session(index: RecallIndex) -> None:
    add(index, ("2026-05-03", BOILER), session="own")
    add(index, ("2026-05-03", DIET), session="other")
    for query in ("boiler", "what did the plumber fix in the heater?", "what was in May?", "in May"):
        assert BOILER not in found(index, query, without="own"), query


def test_neither_way_finds_what_would_taint_a_trusted_look(index: RecallIndex) -> None:
    add(index, ("2026-05-03", BOILER), label=Label(Level.PRIVATE, untrusted=True))
    for query in ("boiler", "what did the plumber fix in the heater?", "what was in May?", "in May"):
        assert found(index, query, trusted_only=True) == [], query
        assert found(index, query) == [BOILER], query


def test_what_is_forgotten_is_found_by_no_way(index: RecallIndex) -> None:
    add(index, ("2026-05-03", BOILER), ("2026-05-04", DIET))
    assert BOILER in found(index, "what did the plumber fix in the heater?")
    index.forget("a", [1], size=1)
    meaning = index._meaning.ready()
    assert meaning is not None
    assert meaning._codes is not None
    assert len(meaning._codes) == 1
    for query in ("boiler", "what did the plumber fix in the heater?", "in May"):
        assert BOILER not in found(index, query), query


def test_those_shown_differ(index: RecallIndex) -> None:
    same = [("2026-05-03", f"Remind me to water the plants on day {day}.") for day in range(6)]
    add(index, *same, ("2026-05-03", "Greta waters the plants while we are in Norway."))
    assert "Greta waters the plants while we are in Norway." in found(index, "water the plants", k=2)


def test_a_note_is_found_by_meaning_and_only_as_it_is_now(index: RecallIndex) -> None:
    index.set_notes([Note(text=BOILER, label=NEW_SESSION)])
    assert found(index, "what did the plumber fix in the heater?") == [BOILER]
    index.set_notes([Note(text=DIET, label=NEW_SESSION)])
    assert BOILER not in found(index, "what did the plumber fix in the heater?")


def test_a_turn_taken_in_twice_is_found_once(index: RecallIndex) -> None:
    for _ in range(2):
        turn = FinishedTurn(session="a", turn=1, at="", user=BOILER, reply="", label=NEW_SESSION)
        index.add_turns("a", [turn], size=1, upto=1)
        assert found(index, "what did the plumber fix in the heater?") == [BOILER]
