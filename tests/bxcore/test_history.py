"""The messages that a request holds, from the records."""

from __future__ import annotations

from bxcore.history import messages
from bxcore.labels import Level
from bxcore.model.values import AssistantMessage, ToolMessage, UserMessage
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


def test_records_become_messages_in_order_and_the_rest_stays_in_the_log() -> None:
    assert messages(LOG, {2: "[1] memory"}) == (
        UserMessage(text="time?", at="Monday 2026-11-30 19:16 UTC"),
        AssistantMessage(content="let me look", tool_calls=(CALL,)),
        ToolMessage(call="t1c1", tool="clock", content="now"),
        AssistantMessage(content="now"),
        UserMessage(text="thanks", recalled="[1] memory"),
    )


def test_each_request_repeats_the_one_before_from_its_start() -> None:
    whole = messages(LOG, {1: "a", 2: "b"})
    for length in range(len(LOG)):
        part = messages(LOG[:length], {1: "a", 2: "b"})
        assert whole[: len(part)] == part
