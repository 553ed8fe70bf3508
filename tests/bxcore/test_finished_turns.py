from __future__ import annotations

import pytest

from bxcore.finished_turns import FinishedTurn, finished_turns
from bxcore.forgetting import without
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User

START = SessionStart(baseline="")
CALL = ToolCall(id="c1", name="recall", arguments='{"query":"x"}')


def result(content: str, *, untrusted: bool = False) -> ToolResult:
    return ToolResult(
        call="c1", tool="recall", content=content, ok=True, level=Level.PRIVATE, untrusted=untrusted
    )


def test_a_turn_is_what_was_said_and_the_reply_and_nothing_that_a_tool_gave() -> None:
    log: list[Record] = [START, User(text="where?", at="2026-11-02T10:00:00Z")]
    log += [
        Assistant(content="let me look", tool_calls=(CALL,)),
        result("[1] memory · notes"),
        Assistant(content="there"),
    ]
    assert list(finished_turns("k3f", log)) == [
        FinishedTurn(
            session="k3f", turn=1, at="2026-11-02T10:00:00Z", user="where?", reply="there", label=NEW_SESSION
        )
    ]


def test_a_turn_that_came_to_no_reply_is_left_out_and_keeps_its_number() -> None:
    log: list[Record] = [
        START,
        User(text="a"),
        Usage(failed="no model"),
        User(text="b"),
        Assistant(content="c"),
        User(text="d"),
    ]
    assert [(turn.turn, turn.user) for turn in finished_turns("x", log)] == [(2, "b")]


@pytest.mark.parametrize("log", [[], [START]])
def test_a_log_without_a_turn_has_no_finished_one(log: list[Record]) -> None:
    assert list(finished_turns("x", log)) == []


def test_a_turn_has_the_label_of_the_session_when_it_ended() -> None:
    log: list[Record] = [START, User(text="a"), Assistant(content="b"), User(text="c")]
    log += [result("", untrusted=True), Assistant(content="d"), User(text="e"), Assistant(content="f")]
    tainted = Label(Level.PRIVATE, untrusted=True)
    assert [turn.label for turn in finished_turns("x", log)] == [NEW_SESSION, tainted, tainted]


def test_a_forgotten_turn_is_left_out_and_the_others_keep_their_numbers() -> None:
    log = without(
        [SessionStart(baseline=""), *said("one", "a"), *said("two", "b"), *said("three", "c")], (2,)
    )
    assert [(turn.turn, turn.user) for turn in finished_turns("k3f", log)] == [(1, "one"), (3, "three")]


def said(text: str, reply: str) -> list[Record]:
    return [User(text=text), Assistant(content=reply), Usage()]
