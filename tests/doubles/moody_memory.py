"""A memory that answers at once, late, never, with a refusal or with a crash, as chance has it."""

from __future__ import annotations

import random
from dataclasses import dataclass

from actors.base import Actor, Context, Refusal, Reply
from bxcore.labels import Label, Level
from bxcore.messages.memory import MemoryMessage
from bxcore.tool_answer import ToolAnswer


@dataclass(frozen=True)
class Now:
    """It tells itself: set this reply."""

    reply: Reply
    answer: ToolAnswer


class MoodyMemory(Actor):
    """Every answer's content is its own number, so that no two are the same."""

    def __init__(self, context: Context, chance: random.Random) -> None:
        super().__init__(context)
        self._chance = chance

    def on_receive(self, message: MemoryMessage | Now) -> object:
        if isinstance(message, Now):
            message.reply.set(message.answer)
            return None
        label = Label(self._chance.choice(list(Level)), self._chance.random() < 0.3)
        answer = ToolAnswer(ok=True, content=str(self._chance.random()), label=label)
        match self._chance.choice(["now", "now", "late", "never", "refuse", "crash"]):
            case "now":
                return answer
            case "refuse":
                raise Refusal("the memory will not")
            case "crash":
                raise RuntimeError("as chance has it")
            case mood:
                reply = self.reply_later()
                if mood == "late" and reply is not None:
                    self.tell_later(self._chance.choice([0.5, 29.0, 31.0]), Now(reply, answer))
                return None
