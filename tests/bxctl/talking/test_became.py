"""What became of a message whose stream was lost: told from the log, sent again only when that is safe."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.control.answers import SessionJson, TurnTextJson
from bxctl.talking.became import (
    MOST_SENDS,
    Interrupted,
    Lost,
    NotKnown,
    NotTaken,
    Replied,
    StillRuns,
    became,
)

LOST = Lost(text="mine", before=2, turn=None, sends=1)


def said(user: str, reply: str | None = "yes", failed: str | None = None) -> TurnTextJson:
    return {"user": user, "reply": reply, "failed": failed}


def session(*turns: TurnTextJson, first: int = 1) -> SessionJson:
    return {
        "session": "main",
        "live": False,
        "turns": first - 1 + len(turns),
        "label": {"class": "private", "untrusted": False},
        "updated": "2026-11-02T10:00:00Z",
        "title": "",
        "waiting": 0,
        "first": first,
        "said": list(turns),
    }


OLD = (said("mine"), said("b"))


def test_what_is_in_no_log_was_not_taken_by_the_box_that_ended() -> None:
    assert became(LOST, session(*OLD), (), same_box=False) == NotTaken()
    assert became(replace(LOST, before=0), None, (), same_box=False) == NotTaken()


def test_it_is_not_sent_again_while_the_same_box_may_have_it() -> None:
    assert became(LOST, session(*OLD), (), same_box=True) == NotKnown()


def test_a_new_turn_with_its_text_is_it() -> None:
    turn = said("mine", "done")
    assert became(LOST, session(*OLD, turn), (), same_box=False) == Replied(number=3, turn=turn)


def test_a_new_turn_with_its_text_that_is_anothers_is_not() -> None:
    assert became(LOST, session(*OLD, said("mine")), {3}, same_box=False) == NotTaken()


def test_a_new_turn_with_another_text_leaves_a_doubt() -> None:
    assert became(LOST, session(*OLD, said("redacted")), (), same_box=False) == NotKnown()


def test_turns_that_are_not_shown_leave_a_doubt() -> None:
    assert became(LOST, session(said("z"), first=9), {9}, same_box=False) == NotKnown()


@pytest.mark.parametrize("turn", [None, 3])
def test_a_turn_without_an_end_was_interrupted_or_runs(turn: int | None) -> None:
    shown, lost = session(*OLD, said("mine", None)), replace(LOST, turn=turn)
    assert became(lost, shown, (), same_box=False) == Interrupted(number=3)
    assert became(lost, shown, (), same_box=True) == StillRuns(number=3)


def test_a_failed_turn_is_over() -> None:
    turn = said("mine", None, "the model is down")
    assert became(LOST, session(*OLD, turn), (), same_box=False) == Replied(number=3, turn=turn)


def test_a_message_that_was_there_at_many_ends_is_not_sent_again() -> None:
    assert became(replace(LOST, sends=MOST_SENDS - 1), session(*OLD), (), same_box=False) == NotTaken()
    assert became(replace(LOST, sends=MOST_SENDS), session(*OLD), (), same_box=False) == NotKnown()


def test_a_turn_that_had_begun_and_is_in_no_log_is_not_known() -> None:
    assert became(replace(LOST, turn=3), session(*OLD), (), same_box=False) == NotKnown()
    assert became(replace(LOST, turn=3), None, (), same_box=False) == NotKnown()


@given(
    log=st.lists(st.sampled_from(["mine", "a", "b"]), max_size=5),
    before=st.integers(0, 5),
    same_box=st.booleans(),
    turn=st.none() | st.integers(1, 6),
)
def test_nothing_that_may_be_in_the_log_is_ever_sent_again(
    log: list[str],
    before: int,
    same_box: bool,  # noqa: FBT001
    turn: int | None,
) -> None:
    shown = session(*map(said, log)) if log else None
    lost = Lost(text="mine", before=before, turn=turn, sends=1)
    if isinstance(became(lost, shown, (), same_box=same_box), NotTaken):
        assert not same_box
        assert turn is None
        assert len(log) <= before
