"""What of a long session still fits the model's context window (spec 3.4); pure.

The oldest tool results are shortened first; then the oldest turns are left out, several at a time, so that
the requests that follow repeat one another and the server's prefix cache holds. The log keeps everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bxcore.model.baseline import estimate_tokens
from bxcore.model.values import AssistantMessage, Message, ToolMessage, UserMessage

SHORT = 300
"""Characters that are left of a tool result that is shortened."""
KEPT_SHARE = 0.6
"""How much of the window the turns take after some were left out: room for the turns to come."""
A_MESSAGE = 8
"""Tokens that a template puts around a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The messages to send, and the first turn of them, from 1."""

    messages: tuple[Message, ...]
    first: int


def fit(messages: Sequence[Message], budget: int, first: int = 1) -> Fitted:
    """The messages from turn ``first`` on, or from a later turn, within ``budget`` tokens by estimate.

    The last turn is never left out; when it alone is too long, its oldest tool results are shortened.
    """
    turns = list(_turns(messages))
    first = max(1, min(first, len(turns)))
    kept = turns[first - 1 :]
    if _tokens(kept) > budget:
        kept = [*(_shortened(turn) for turn in kept[:-1]), *kept[-1:]]
    if _tokens(kept) > budget:
        left_out = _over(kept, int(budget * KEPT_SHARE))
        first, kept = first + left_out, kept[left_out:]
    if _tokens(kept) > budget:
        kept = [_shortened_as_needed(kept[0], budget)]
    return Fitted(messages=tuple(message for turn in kept for message in turn), first=first)


def _turns(messages: Sequence[Message]) -> Iterator[list[Message]]:
    turn: list[Message] = []
    for message in messages:
        if isinstance(message, UserMessage) and turn:
            yield turn
            turn = []
        turn.append(message)
    if turn:
        yield turn


def _over(turns: Sequence[Sequence[Message]], budget: int) -> int:
    """How many of the oldest turns must go for the rest to fit; never the last one."""
    sizes = [_tokens([turn]) for turn in turns]
    return next((n for n in range(len(turns)) if sum(sizes[n:]) <= budget), len(turns) - 1)


def _tokens(turns: Sequence[Sequence[Message]]) -> int:
    return sum(A_MESSAGE + estimate_tokens(_texts(message)) for turn in turns for message in turn)


def _texts(message: Message) -> list[str]:
    match message:
        case UserMessage(text=text, recalled=recalled):
            return [text, recalled]
        case AssistantMessage(content=content, tool_calls=calls):
            return [content, *(call.arguments for call in calls)]
        case ToolMessage(content=content):
            return [content]


def _shortened(turn: Sequence[Message]) -> list[Message]:
    return [_short(message) for message in turn]


def _short(message: Message) -> Message:
    if not isinstance(message, ToolMessage) or len(message.content) <= SHORT:
        return message
    left = len(message.content) - SHORT
    return replace(message, content=f"{message.content[:SHORT]}… ({left} characters more, left out here)")


def _shortened_as_needed(turn: Sequence[Message], budget: int) -> list[Message]:
    found = list(turn)
    for place, message in enumerate(found):
        if _tokens([found]) <= budget:
            break
        found[place] = _short(message)
    return found
