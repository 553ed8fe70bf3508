"""A session's records as the messages that the model is sent after the baseline (spec 3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bxcore.clock_text import spoken
from bxcore.model.values import AssistantMessage, Message, ToolMessage, UserMessage
from bxcore.records import Assistant, Record, ToolResult, User


def messages(records: Sequence[Record], recalled: Mapping[int, str]) -> tuple[Message, ...]:
    """Every turn so far, in order; ``recalled`` holds by turn what auto_recall found for it.

    Each request repeats the one before from its start, so the server's prefix cache holds. What an
    interrupted or failed turn lacks is for ``bxcore.model`` to mend.
    """
    return tuple(_messages(records, recalled))


def _messages(records: Sequence[Record], recalled: Mapping[int, str]) -> Iterator[Message]:
    turn = 0
    for record in records:
        match record:
            case User():
                turn += 1
                yield UserMessage(text=record.text, at=spoken(record.at), recalled=recalled.get(turn, ""))
            case Assistant():
                yield AssistantMessage(content=record.content, tool_calls=record.tool_calls)
            case ToolResult():
                yield ToolMessage(call=record.call, tool=record.tool, content=record.content)
            case _:
                pass
