"""A listener of a session's turns that a test holds in its hand."""

from __future__ import annotations

from bxcore.address import Delivery
from bxcore.messages.loop import TurnEvent


class Listener:
    """An ``Address[TurnEvent]``: keeps what it accepts; ``says`` is what it answers."""

    name = "listener"

    def __init__(self, says: Delivery = Delivery.ACCEPTED) -> None:
        self.says = says
        self.asked = 0
        self.heard: list[TurnEvent] = []

    def tell(self, message: TurnEvent, *, deadline_s: float | None = None) -> Delivery:
        """Take it, or not."""
        del deadline_s
        self.asked += 1
        if self.says is Delivery.ACCEPTED:
            self.heard.append(message)
        return self.says
