"""HonchoChat: asks one workspace one question, answers, and ends (spec 4.4)."""

from __future__ import annotations

from actors.honcho_errand import HonchoErrand
from bxcore.messages.honcho_chat import Chat, ChatAnswered, ChatOutcome, ChatUnavailable
from bxio.honcho import HonchoUnavailable


class HonchoChat(HonchoErrand[Chat]):
    """A temporary child: one ``Chat``, one ``ChatAnswered`` or ``ChatUnavailable``, then the end."""

    def outcome(self, message: Chat, deadline_s: float) -> ChatOutcome:
        """Ask the question."""
        try:
            text = self.client.chat(self.workspace, message.question, deadline_s, self.cutting)
        except HonchoUnavailable as unavailable:
            return ChatUnavailable(error=str(unavailable))
        return ChatAnswered(text=text)
