"""Which of a watch's lines are shown, however its lines and those of the chat's own streams are mixed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.control.answers import LineJson, TurnJson
from bxctl.talking.others_turns import OthersTurns


def started(number: int, text: str = "hi") -> LineJson:
    return {"kind": "turn_started", "turn": number, "text": text, "speaker": "bob"}


def delta(text: str) -> LineJson:
    return {"kind": "text_delta", "text": text}


def notice(text: str) -> LineJson:
    return {"kind": "notice", "text": text}


def result(number: int) -> LineJson:
    turn: TurnJson = {
        "session": "main",
        "turn": number,
        "reply": "x",
        "tools": [],
        "label": {"class": "private", "untrusted": False},
        "usage": {"prompt": 1, "cached": 0, "completion": 1},
    }
    return {"kind": "result", "result": turn, "failed": None}


def whole(number: int, text: str) -> list[LineJson]:
    return [started(number, text), delta(f"reply {number}"), result(number)]


def test_anothers_turn_is_shown_line_by_line() -> None:
    others, lines = OthersTurns(), whole(3, "hi")
    assert [others.take(line, ()) for line in lines] == [[line] for line in lines]
    assert set(others.theirs) == {3}


def test_it_runs_from_its_start_to_its_result() -> None:
    others = OthersTurns()
    running = [others.running]
    for line in whole(3, "hi"):
        others.take(line, ())
        running.append(others.running)
    assert running == [False, True, True, False]


def test_signs_of_life_are_nothing_to_show() -> None:
    assert OthersTurns().take({"kind": "waiting"}, ()) == []


def test_an_own_turn_is_not_shown_a_second_time() -> None:
    others = OthersTurns()
    assert others.began(4, ()) == []
    assert [shown for line in whole(4, "mine") for shown in others.take(line, ())] == []
    assert not others.running


def test_a_turn_that_may_be_ones_own_is_held_until_that_is_known() -> None:
    others = OthersTurns()
    assert [shown for line in whole(4, "mine") for shown in others.take(line, ("mine",))] == []
    assert others.began(4, ()) == []


def test_a_turn_that_says_the_same_is_shown_when_ones_own_has_another_number() -> None:
    others = OthersTurns()
    theirs = whole(4, "ok")
    assert [shown for line in theirs for shown in others.take(line, ("ok",))] == []
    assert others.began(5, ("ok",)) == theirs  # another own message that says it waits


def test_who_waits_sees_the_turn_that_says_the_same() -> None:
    others = OthersTurns()
    line = started(4, "ok")
    assert others.take(line, ("ok",)) == []
    assert others.waits() == [line]
    assert others.take(delta("a"), ("ok",)) == [delta("a")]
    assert others.running


def test_a_notice_between_turns_is_told_once() -> None:
    others = OthersTurns()
    assert others.take(notice("loading"), ("mine",)) == []
    others.take(started(1, "mine"), ("mine",))
    assert others.began(1, ()) == []
    assert others.take(result(1), ()) == []
    assert others.take(notice("loading"), ()) == [notice("loading")]


def test_a_notice_before_anothers_turn_comes_with_it() -> None:
    others = OthersTurns()
    assert others.take(notice("loading"), ("mine",)) == []
    assert others.take(started(1, "theirs"), ("mine",)) == [notice("loading"), started(1, "theirs")]


def test_a_turn_that_is_told_anew_is_shown_by_its_result_alone() -> None:
    others = OthersTurns()
    others.take(started(3), ())
    others.lost()
    assert others.take(started(3), ()) == []
    assert others.take(delta("again"), ()) == []
    assert others.take(result(3), ()) == [result(3)]


def test_an_own_turn_whose_stream_was_lost_is_shown_by_the_watch() -> None:
    others = OthersTurns()
    others.began(3, ())
    others.give_up(3)
    assert others.take(started(3), ()) == [started(3)]


@given(st.data())
def test_every_turn_is_shown_by_one_stream_and_once(data: st.DataObject) -> None:
    """Own and others' turns in any order, with any texts, the watch ahead of own streams by any stretch."""
    turns = data.draw(st.lists(st.tuples(st.booleans(), st.sampled_from("ab")), max_size=6))
    mine = [(number, text) for number, (own, text) in enumerate(turns, 1) if own]
    lines = [line for number, (_, text) in enumerate(turns, 1) for line in whole(number, text)]
    others, shown = OthersTurns(), list[LineJson]()
    waiting = list(mine)
    for line in lines:
        first_turn = waiting[0][0] if waiting else None
        running = line["turn"] if line["kind"] == "turn_started" else 0
        if first_turn is not None and data.draw(st.booleans()) and running == first_turn:
            number, _ = waiting.pop(0)  # its own stream was ahead
            shown += others.began(number, [text for _, text in waiting])
        shown += others.take(line, [text for _, text in waiting])
    while waiting:
        number, _ = waiting.pop(0)
        shown += others.began(number, [text for _, text in waiting])
    own = {number for number, _ in mine}
    theirs = [number for number in range(1, len(turns) + 1) if number not in own]
    assert [line["turn"] for line in shown if line["kind"] == "turn_started"] == theirs
    assert [line["result"]["turn"] for line in shown if line["kind"] == "result"] == theirs
