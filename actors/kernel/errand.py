"""An errand: a temporary child that is asked one thing, answers, and ends."""

from __future__ import annotations

from typing import Generic, TypeVar

from actors.kernel.actor import Actor
from actors.kernel.life import Context
from actors.kernel.reply import Reply
from bxcore.messages.errand import NobodyCame
from bxio.cut import Cut

M = TypeVar("M")


class Errand(Actor, Generic[M]):
    """``run`` does the work in the actor's thread, which may block; ``cutting`` ends what it is blocked on.

    Cut are those whom nobody wants any more: by the kernel when a stop is wanted, and by the subclass when
    its asker gives up, which it says with ``reply.on_abandon``.
    """

    IDLE_S = 1.0
    """How long it waits for its message, which is sent right behind its start."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.cutting = Cut()

    def on_start(self) -> None:
        """Wait for the message, not for ever: it may have expired unread."""
        self.tell_later(self.IDLE_S, NobodyCame())

    def on_receive(self, message: M | NobodyCame) -> None:
        """Do what was asked for, unless it was only told and nobody waits for an answer; then end."""
        if not isinstance(message, NobodyCame):
            reply = self.reply_later()
            if reply is not None:
                self.run(message, reply)
        self.end()

    def run(self, message: M, reply: Reply) -> None:
        """Do the work and set ``reply``. Runs in the actor's thread."""
        raise NotImplementedError

    def cut(self) -> None:
        """End what ``run`` is blocked on. Any thread."""
        self.cutting.cut()
