"""A history that every chat template takes: no call without a result, no two user messages in a row."""

from __future__ import annotations

from collections.abc import Iterator

from bxcore.model.values import AssistantMessage, Message, ToolMessage, UserMessage

NO_RESULT = "no result: the call was interrupted, and whether it took effect is unknown"
RECALLED = "Recalled, perhaps of use:"
NO_REPLY = "(this turn ended without a reply)"


def mended(history: tuple[Message, ...]) -> tuple[Message, ...]:
    """The history with what an interrupted or failed turn lacks.

    A call without a result gets ``NO_RESULT``, a turn without a reply ``NO_REPLY``; a result without its call
    is left out. A turn that is still running, the last one, is left as it is but for its missing results.
    """
    return tuple(_with_replies(_with_results(history)))


def _with_results(history: tuple[Message, ...]) -> Iterator[Message]:
    open_calls: dict[str, str] = {}
    for message in history:
        if isinstance(message, ToolMessage):
            if open_calls.pop(message.call, None) is not None:
                yield message
            continue
        yield from _missing(open_calls)
        open_calls = {}
        yield message
        if isinstance(message, AssistantMessage):
            open_calls = {call.id: call.name for call in message.tool_calls}
    yield from _missing(open_calls)


def _missing(open_calls: dict[str, str]) -> Iterator[Message]:
    for call, tool in open_calls.items():
        yield ToolMessage(call=call, tool=tool, content=NO_RESULT)


def _with_replies(messages: Iterator[Message]) -> Iterator[Message]:
    replied = True
    for message in messages:
        if isinstance(message, UserMessage) and not replied:
            yield AssistantMessage(content=NO_REPLY)
        yield message
        replied = isinstance(message, AssistantMessage) and not message.tool_calls


def user_text(message: UserMessage) -> str:
    """What the model reads of a user message: the date and what was recalled, then the person's words."""
    parts = []
    if message.at:
        parts.append(f"It is {message.at}.")
    if message.recalled:
        parts.append(f"{RECALLED}\n{message.recalled}")
    return "\n\n".join([*parts, message.text])
