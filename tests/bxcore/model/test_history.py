from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.model.history import NO_REPLY, NO_RESULT, mended, user_text
from bxcore.model.values import AssistantMessage, Message, ToolMessage, UserMessage
from bxcore.records import ToolCall

USER = UserMessage(text="hi")
REPLY = AssistantMessage(content="hello")


def calling(*ids: str) -> AssistantMessage:
    return AssistantMessage(tool_calls=tuple(ToolCall(id=name, name="clock", arguments="{}") for name in ids))


def result(call: str, content: str = "four") -> ToolMessage:
    return ToolMessage(call=call, tool="clock", content=content)


def test_a_sound_history_stays() -> None:
    history = (USER, calling("a", "b"), result("a"), result("b"), REPLY, USER)
    assert mended(history) == history


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    history = (USER, calling("a", "b"), result("a"), REPLY)
    assert mended(history) == (USER, calling("a", "b"), result("a"), result("b", NO_RESULT), REPLY)
    assert mended((USER, calling("a"))) == (USER, calling("a"), result("a", NO_RESULT))


def test_a_result_without_its_call_is_left_out() -> None:
    assert mended((USER, result("x"), calling("a"), result("a"), result("a"))) == (
        USER,
        calling("a"),
        result("a"),
    )


def test_a_turn_without_a_reply_gets_one_when_the_next_begins() -> None:
    no_reply = AssistantMessage(content=NO_REPLY)
    assert mended((USER, USER)) == (USER, no_reply, USER)
    assert mended((USER, calling("a"), result("a"), USER)) == (
        USER,
        calling("a"),
        result("a"),
        no_reply,
        USER,
    )


def test_a_user_message_says_the_date_and_what_was_recalled_before_its_words() -> None:
    message = UserMessage(text="hi", at="Monday", recalled="[1] x")
    assert user_text(message) == "It is Monday.\n\nRecalled, perhaps of use:\n[1] x\n\nhi"
    assert user_text(USER) == "hi"


MESSAGES = st.lists(
    st.sampled_from([USER, REPLY, calling("a"), calling("a", "b"), result("a"), result("b")]), max_size=8
)


@given(MESSAGES)
def test_every_call_is_followed_by_its_results_and_no_two_users_stand_together(
    messages: list[Message],
) -> None:
    found = mended(tuple(messages))
    owed: list[str] = []
    for before, after in zip((REPLY, *found), (*found, REPLY), strict=True):
        assert not (isinstance(before, UserMessage) and isinstance(after, UserMessage))
        if isinstance(after, ToolMessage):
            owed.remove(after.call)
        else:
            assert owed == []
        if isinstance(after, AssistantMessage):
            owed = [call.id for call in after.tool_calls]
    assert mended(found) == found
