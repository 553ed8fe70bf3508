"""An epoch's records as the messages that the model is sent after the baseline (spec 3.3, 3.4)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from bxcore.clock_text import spoken
from bxcore.model.values import AssistantMessage, Message, ToolMessage, UserMessage
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, User
from bxcore.window import TurnMessages, tokens_of

LOOK_UP = "recall"
WHAT = "turns 1 to {turns} of this session"


class History:
    """Grows with the log: each record costs the same. ``summary`` is what the epoch began with, if anything.

    It goes behind the first person's message that is sent, as if the model had looked it up for that one: a
    reply of the model's own in front of it would be copied by a small model.


    Each request repeats the one before from its start, so the server's prefix cache holds. What an
    interrupted or failed turn lacks is for ``bxcore.model`` to mend.
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.summary: tuple[Message, ...] = ()
        self.turns: list[TurnMessages] = []
        self.take(records)

    @property
    def summary_tokens(self) -> int:
        """What ``summary`` takes by estimate."""
        return sum(map(tokens_of, self.summary))

    def told(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The messages with the summary, as they are sent."""
        return (*messages[:1], *self.summary, *messages[1:])

    def take(self, records: Iterable[Record]) -> None:
        """The records that were appended."""
        for record in records:
            match record:
                case SessionStart() if record.summary:
                    self.summary = _looked_up(record)
                case User():
                    turn = TurnMessages()
                    turn.add(UserMessage(text=record.text, at=spoken(record.at)))
                    self.turns.append(turn)
                case Assistant() if self.turns:
                    message = AssistantMessage(content=record.content, tool_calls=record.tool_calls)
                    self.turns[-1].add(message)
                case ToolResult() if self.turns:
                    found = ToolMessage(call=record.call, tool=record.tool, content=record.content)
                    self.turns[-1].add(found)
                case _:
                    pass


def _looked_up(start: SessionStart) -> tuple[Message, ...]:
    """A summary as what a look-up gave: strangers' words may be in it, so it is a tool's (spec 3.3)."""
    query = json.dumps({"query": WHAT.format(turns=start.turns)})
    call = ToolCall(id=f"e{start.epoch}c1", name=LOOK_UP, arguments=query)
    return (
        AssistantMessage(tool_calls=(call,)),
        ToolMessage(call=call.id, tool=LOOK_UP, content=start.summary),
    )
