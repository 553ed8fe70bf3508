from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.messages.loop import Notice, TextDelta, ToolStarted, TurnEvent
from bxcore.openai_api.streaming import Streamed

TOOL = ToolStarted(session="s", call="c", tool="clock", arguments="{}")


def said(text: str) -> TextDelta:
    return TextDelta(session="s", text=text)


def shown(events: list[TurnEvent], reply: str) -> str:
    state, whole = Streamed(), ""
    for event in events:
        state, text = state.after(event)
        whole += text
    return whole + state.rest(reply)


def test_pieces_make_the_reply_and_nothing_is_said_twice() -> None:
    assert shown([said("the "), said("tin")], "the tin") == "the tin"


def test_what_is_said_before_a_tool_is_a_paragraph_of_its_own() -> None:
    assert (
        shown([said("let me look"), TOOL, TOOL, said("the "), said("tin")], "the tin")
        == "let me look\n\nthe tin"
    )
    assert shown([TOOL, said("the tin")], "the tin") == "the tin"


def test_a_reply_that_was_not_streamed_is_shown_at_the_end() -> None:
    assert shown([], "the tin") == "the tin"
    assert shown([said("let me look"), TOOL], "the tin") == "let me look\n\nthe tin"
    assert shown([said("the "), Notice(session="s", text="x")], "the tin") == "the tin"


def test_a_reply_that_differs_from_its_stream_is_shown_whole() -> None:
    assert shown([said("the t")], "a box") == "the t\n\na box"


def test_white_space_around_is_no_difference() -> None:
    assert shown([said("the tin\n")], "the tin") == "the tin\n"


@given(st.text(), st.lists(st.integers(0, 20)), st.sampled_from([[], [said("first"), TOOL]]))
def test_however_it_is_cut_the_reply_stands_at_the_end(
    reply: str, cuts: list[int], before: list[TurnEvent]
) -> None:
    pieces, left = [], reply
    for cut in cuts:
        pieces.append(said(left[:cut]))
        left = left[cut:]
    assert shown([*before, *pieces], reply).strip().endswith(reply.strip())
