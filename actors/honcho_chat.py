"""HonchoChat: asks one workspace one question, answers, and ends (spec 4.4).

Its thread blocks in the exchange. What ends it is the exchange's own deadline, ``LATE_S`` after the asker's,
and the cut of its socket: by an asker who gives up before its time, or by whoever wants the actor stopped. An
answer in between is late: it is set on the abandoned reply all the same, so that it is counted with its size,
as a dead letter of this actor's address.
"""

from __future__ import annotations

from actors.base import Context, Errand, Reply
from bxcore.messages.honcho_chat import Chat, ChatAnswered, ChatOutcome, ChatUnavailable
from bxio.honcho import HonchoClient, HonchoUnavailable

LATE_S = 0.5
"""How long it listens on for an answer that can only be counted any more; at most a second (spec 4.4)."""


class HonchoChat(Errand[Chat]):
    """A temporary child: one ``Chat``, one ``ChatAnswered`` or ``ChatUnavailable``, then the end."""

    def __init__(self, context: Context, *, client: HonchoClient, workspace: str) -> None:
        super().__init__(context)
        self._client = client
        self._workspace = workspace

    def run(self, message: Chat, reply: Reply) -> None:
        """Ask, and answer."""
        reply.on_abandon(lambda: self._nobody_waits(reply.deadline_s))
        reply.set(self._outcome(message.question, reply.deadline_s + LATE_S))

    def _nobody_waits(self, deadline_s: float) -> None:
        """Give the question up at once; when its time is over, only a late answer may come. Any thread."""
        if self.now() < deadline_s:
            self.cutting.cut()

    def _outcome(self, question: str, deadline_s: float) -> ChatOutcome:
        try:
            text = self._client.chat(self._workspace, question, deadline_s, self.cutting)
        except HonchoUnavailable as unavailable:
            return ChatUnavailable(error=str(unavailable))
        return ChatAnswered(text=text)
