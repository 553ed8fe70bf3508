"""What who begins to watch in the middle of a turn is told of it."""

from __future__ import annotations

from bxcore.messages.broker import ApprovalAsked, ApprovalClosed
from bxcore.messages.loop import Notice, TextDelta, ToolStarted, TurnEvent, TurnStarted
from bxio.turn_so_far import MOST_EVENTS, MOST_TEXT, TurnSoFar
from bxio.turn_stream import MOST_EVENTS as MOST_OF_A_STREAM
from tests.doubles.control_box import APPROVAL

STARTED = TurnStarted(session="k3f", turn=1, text="hi")


def text(piece: str) -> TextDelta:
    return TextDelta(session="k3f", text=piece)


def tool(number: int) -> ToolStarted:
    return ToolStarted(session="k3f", call=f"t1c{number}", tool="clock", arguments="{}")


def shown(*events: TurnEvent) -> list[TurnEvent]:
    made = TurnSoFar()
    for event in events:
        made.add(event)
    assert made.events() == made.events()
    return made.events()


def test_it_is_told_in_order_with_each_run_of_text_as_one() -> None:
    notice = Notice(session="k3f", text="the model loads")
    events = (notice, STARTED, text("a"), text("b"), tool(1), text("c"), text("d"))
    assert shown(*events) == [notice, STARTED, text("ab"), tool(1), text("cd")]


def test_text_that_was_looked_at_goes_on_as_one() -> None:
    made = TurnSoFar()
    made.add(text("a"))
    assert made.events() == [text("a")]
    made.add(text("b"))
    assert made.events() == [text("ab")]


def test_the_start_is_known_once_it_was_told() -> None:
    made = TurnSoFar()
    made.add(Notice(session="k3f", text="the model loads"))
    assert made.started is None
    made.add(STARTED)
    assert made.started == STARTED


def test_a_question_that_was_answered_is_not_asked_again() -> None:
    asked = ApprovalAsked(session="k3f", approval=APPROVAL)
    assert shown(STARTED, asked) == [STARTED, asked]
    closed = ApprovalClosed(session="k3f", code=APPROVAL.code, approved=True, sentence="yes")
    assert shown(STARTED, asked, closed) == [STARTED]


def test_of_a_long_turn_the_newest_news_are_kept_and_the_rest_is_said() -> None:
    asked = ApprovalAsked(session="k3f", approval=APPROVAL)
    events = shown(STARTED, asked, *(tool(number) for number in range(MOST_EVENTS)))
    assert events[0] == STARTED
    assert events[1] == Notice(
        session="k3f", text="this turn is long: the first 2 pieces of its news are not shown"
    )
    assert events[2:4] == [asked, tool(2)]
    assert events[-1] == tool(MOST_EVENTS - 1)
    assert len(events) <= MOST_EVENTS + 1 < MOST_OF_A_STREAM


def test_of_a_long_text_the_end_is_kept() -> None:
    (piece,) = shown(*(text(f"{number:08}") for number in range(MOST_TEXT)))
    assert isinstance(piece, TextDelta)
    assert len(piece.text) == MOST_TEXT
    assert piece.text.endswith(f"{MOST_TEXT - 1:08}")
