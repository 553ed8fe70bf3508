"""One listener of a session's turns, and what it had no room for (spec 3.1)."""

from __future__ import annotations

from bxcore.address import Address, Delivery
from bxcore.messages.loop import Notice, TextDelta, TurnEvent, TurnOver

MOST_UNSHOWN = 65_536
"""Characters of text that are kept for a listener without room."""


class Seat:
    """Tells ``listener`` without ever waiting for it. Not thread-safe: the audience's lock is around it.

    Text that found no room goes with the next piece; of other news the number is said when there is room
    again. Of a turn that has ended only the end matters: it has the whole reply.
    """

    def __init__(self, session: str, listener: Address[TurnEvent]) -> None:
        self.listener = listener
        self._session = session
        self._gone = False
        self._unshown = ""
        self._dropped = 0
        self._end: TurnOver | None = None

    @property
    def gone(self) -> bool:
        """Whether the listener was found closed."""
        return self._gone

    def tell(self, event: TurnEvent) -> Delivery:
        """Tell it, behind what was kept for it. What is kept once more counts as busy."""
        if self._gone:
            return Delivery.CLOSED
        if isinstance(event, TurnOver):
            self._unshown, self._dropped, self._end = "", 0, None
        if isinstance(event, TextDelta) and self._end is None:
            event = TextDelta(session=event.session, text=self._unshown + event.text)
            self._unshown = ""
        delivery = self._made_good()
        if delivery is Delivery.ACCEPTED:
            delivery = self._tell(event)
        if delivery is Delivery.BUSY:
            self._keep(event)
        return delivery

    def _made_good(self) -> Delivery:
        """Tell what is owed: an end, how much was dropped, the text, in this order."""
        delivery = Delivery.ACCEPTED
        if self._end is not None:
            delivery = self._tell(self._end)
            self._end = self._end if delivery is Delivery.BUSY else None
        if self._dropped and delivery is Delivery.ACCEPTED:
            line = f"{self._dropped} pieces of this turn's news found no room here, and were left out"
            delivery = self._tell(Notice(session=self._session, text=line))
            self._dropped = self._dropped if delivery is Delivery.BUSY else 0
        if self._unshown and delivery is Delivery.ACCEPTED:
            delivery = self._tell(TextDelta(session=self._session, text=self._unshown))
            self._unshown = self._unshown if delivery is Delivery.BUSY else ""
        return delivery

    def _tell(self, event: TurnEvent) -> Delivery:
        delivery = self.listener.tell(event)
        self._gone = delivery is Delivery.CLOSED
        return delivery

    def _keep(self, event: TurnEvent) -> None:
        match event:
            case TurnOver():
                self._end = event
            case TextDelta(text=text) if len(self._unshown) + len(text) <= MOST_UNSHOWN:
                self._unshown += text
            case _:
                self._dropped += 1
