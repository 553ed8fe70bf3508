"""The messages that a request holds, from the records."""

from __future__ import annotations

from bxcore.history import History
from bxcore.labels import Level
from bxcore.model.history import mended
from bxcore.model.values import AssistantMessage, Message, ToolMessage, UserMessage
from bxcore.records import Assistant, CacheLoss, Record, SessionStart, ToolCall, ToolResult, Usage, User

CALL = ToolCall(id="t1c1", name="clock", arguments="{}")
LOG: tuple[Record, ...] = (
    SessionStart(baseline=""),
    User(text="time?", at="2026-11-30T19:16:35+00:00"),
    Assistant(content="let me look", reasoning="hm", tool_calls=(CALL,)),
    ToolResult(call="t1c1", tool="clock", content="now", ok=True, level=Level.PUBLIC, untrusted=False),
    CacheLoss(had=2, cached=1),
    Assistant(content="now"),
    Usage(),
    User(text="thanks"),
)


def sent(history: History) -> tuple[Message, ...]:
    return tuple(message for turn in history.turns for message in turn.messages)


def test_records_become_messages_in_order_and_the_rest_stays_in_the_log() -> None:
    history = History(LOG)
    history.turns[1].recall("[1] memory")
    assert sent(history) == (
        UserMessage(text="time?", at="Monday 2026-11-30 19:16 UTC"),
        AssistantMessage(content="let me look", tool_calls=(CALL,)),
        ToolMessage(call="t1c1", tool="clock", content="now"),
        AssistantMessage(content="now"),
        UserMessage(text="thanks", recalled="[1] memory"),
    )


def test_it_grows_with_the_log_and_repeats_itself_from_its_start() -> None:
    whole, history = sent(History(LOG)), History()
    for record in LOG:
        history.take([record])
        assert whole[: len(sent(history))] == sent(history)
    assert sent(history) == whole


def test_a_summary_is_a_tools_message_behind_the_first_one_of_the_person() -> None:
    start = SessionStart(baseline="", epoch=2, turns=40, summary="they like tea", untrusted=True)
    history = History([start, User(text="and now?")])
    messages = history.told(history.turns[0].messages)
    asked, call, told = messages
    assert asked == UserMessage(text="and now?")
    assert isinstance(call, AssistantMessage)
    assert "turns 1 to 40" in call.tool_calls[0].arguments
    assert told == ToolMessage(call=call.tool_calls[0].id, tool="recall", content="they like tea")
    assert mended(messages) == messages, "every template takes it as it is"
    assert history.summary_tokens > 2 * 8


def test_an_epoch_without_a_summary_tells_nothing() -> None:
    history = History([SessionStart(baseline="", epoch=1, turns=3), User(text="hi")])
    assert history.told(history.turns[0].messages) == (UserMessage(text="hi"),)
