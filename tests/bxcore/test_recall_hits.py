from __future__ import annotations

import pytest

from bxcore import recalled
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.recall_hits import Hit, Searched, without_nothing_found


def hit(**changed: object) -> Hit:
    values: dict[str, object] = {
        "place": 1, "score": -1.0, "session": "k3f", "turn": 4, "at": "2026-11-02T10:00:00+00:00",
        "label": NEW_SESSION, "said": "the key?", "reply": "blue tin", **changed,
    }  # fmt: skip
    return Hit(**values)  # type: ignore[arg-type]


def test_a_hit_says_where_and_when_it_was_said() -> None:
    note = hit(session="", turn=1, at="", said="the text", label=Label(Level.SECRET, untrusted=True))
    assert recalled.render([note.item(), hit().item(), hit(at="").item()]) == (
        "[1] memory-tainted · notes · secret\n    the text\n"
        "[2] memory · session k3f turn 4, 2026-11-02 · private\n    said: the key? / reply: blue tin\n"
        "[3] memory · session k3f turn 4 · private\n    said: the key? / reply: blue tin"
    )


def test_an_empty_answer_says_what_was_searched() -> None:
    assert Searched(turns=12, notes=1).nothing_found() == (
        "nothing found; searched 12 turns and 1 note; other words may find more"
    )
    assert Searched(turns=1, notes=0, missing=3).nothing_found() == (
        "nothing found; searched 1 turn and 0 notes, "
        "3 sessions more are being taken in; ask again in a moment"
    )


SENTENCES = [
    Searched(turns=turns, notes=notes, missing=missing, also=also).nothing_found()
    for turns, notes, missing, also in [
        (1, 1, 0, ()),
        (12, 0, 0, ("own",)),
        (0, 3, 1, ("own", "untrusted")),
        (7, 2, 4, ()),
    ]
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_reply_goes_without_the_sentence_of_an_empty_answer(sentence: str) -> None:
    assert without_nothing_found(sentence) == ""
    assert without_nothing_found(f'"{sentence.capitalize()}."') == ""
    assert without_nothing_found(f"I looked: {sentence}. Ask Anna.") == "I looked: . Ask Anna."
    assert without_nothing_found("nothing found; searched the blue tin") == (
        "nothing found; searched the blue tin"
    )
