"""An epoch's records as the messages that the model is sent after the baseline (spec 3.3, 3.4)."""

from __future__ import annotations

import json
from collections.abc import Iterable

from bxcore.clock_text import spoken
from bxcore.model.values import AssistantMessage, Message, ToolMessage, UserMessage
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, User
from bxcore.window import TurnMessages, tokens_of

GOES_ON = "(This session goes on: turns 1 to {turns} are summed up. Look them up again before you go on.)"
LOOKED_UP = "I have the summary of what was said before; recall finds the words themselves."
LOOK_UP = "recall"


class History:
    """Grows with the log: each record costs the same. ``head`` stands before the turns, a summary if any.

    Each request repeats the one before from its start, so the server's prefix cache holds. What an
    interrupted or failed turn lacks is for ``bxcore.model`` to mend.
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.head: tuple[Message, ...] = ()
        self.turns: list[TurnMessages] = []
        self.take(records)

    @property
    def head_tokens(self) -> int:
        """What ``head`` takes by estimate."""
        return sum(map(tokens_of, self.head))

    def take(self, records: Iterable[Record]) -> None:
        """The records that were appended."""
        for record in records:
            match record:
                case SessionStart() if record.summary:
                    self.head = _told(record)
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


def _told(start: SessionStart) -> tuple[Message, ...]:
    """A summary as what a look-up gave: strangers' words may be in it, so it is a tool's (spec 3.3)."""
    call = ToolCall(
        id=f"e{start.epoch}c1", name=LOOK_UP, arguments=json.dumps({"query": "this session so far"})
    )
    return (
        UserMessage(text=GOES_ON.format(turns=start.turns)),
        AssistantMessage(tool_calls=(call,)),
        ToolMessage(call=call.id, tool=LOOK_UP, content=start.summary),
        AssistantMessage(content=LOOKED_UP),
    )
