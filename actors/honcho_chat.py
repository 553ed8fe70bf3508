"""HonchoChat: asks one workspace one question, answers, and ends (spec 4.4).

Its thread blocks in the exchange. What ends it is the asker's deadline, which is also the exchange's own, and
the cut of its socket: by the asker who no longer waits, or by whoever wants the actor stopped. A late answer
is set on the abandoned reply all the same, so that it is counted as a dead letter of this actor's address.
"""

from __future__ import annotations

from typing import assert_never

from actors.base import Actor, Context
from bxcore.messages.honcho_chat import (
    Chat,
    ChatAnswered,
    ChatOutcome,
    ChatUnavailable,
    HonchoChatMessage,
    NobodyAsked,
)
from bxio.deadline_http import Cut
from bxio.honcho import HonchoClient, HonchoUnavailable

IDLE_S = 1.0
"""How long it waits for its question, which is sent right behind its start."""


class HonchoChat(Actor):
    """A temporary child: one ``Chat``, one ``ChatAnswered`` or ``ChatUnavailable``, then the end."""

    def __init__(self, context: Context, *, client: HonchoClient, workspace: str) -> None:
        super().__init__(context)
        self._client = client
        self._workspace = workspace
        self._cut = Cut()

    def on_start(self) -> None:
        """Wait for the question, not for ever: it may have expired unread."""
        self.tell_later(IDLE_S, NobodyAsked())

    def on_receive(self, message: HonchoChatMessage) -> None:
        """Ask, and end."""
        match message:
            case Chat():
                self._ask(message.question)
            case NobodyAsked():
                pass
            case _:
                assert_never(message)
        self.end()

    def cut(self) -> None:
        """Shut the exchange's socket down. Any thread."""
        self._cut.cut()

    def _ask(self, question: str) -> None:
        reply = self.reply_later()
        if reply is None:  # told: nobody waits for an answer
            return
        reply.on_abandon(self._cut.cut)
        reply.set(self._outcome(question, reply.deadline_s))

    def _outcome(self, question: str, deadline_s: float) -> ChatOutcome:
        try:
            text = self._client.chat(self._workspace, question, deadline_s, self._cut)
        except HonchoUnavailable as unavailable:
            return ChatUnavailable(error=str(unavailable))
        return ChatAnswered(text=text)
