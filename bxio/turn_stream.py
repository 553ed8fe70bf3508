"""News of a running turn on its way to one client: bounded, and never a hold-up for the turn.

The session tells it from its own thread; the client's connection takes from it. A slow client's text pieces
are joined to one, so only a client that stands still loses any, and the reply is whole in the result anyway.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from bxcore.address import Delivery
from bxcore.messages.loop import TextDelta, TurnEvent, TurnOver

MOST_EVENTS = 256
MOST_ENDS = 16
"""Ends of turns that find room beyond it: behind one nothing may come that would make it good."""
MOST_TEXT = 65_536
"""Characters that a joined piece of text holds at most."""


class TurnStream:
    """An ``Address[TurnEvent]``; ``wake`` is called once when there is something to take."""

    def __init__(self, name: str, wake: Callable[[], object]) -> None:
        self._name = name
        self._wake = wake
        self._lock = threading.Lock()
        self._events: deque[TurnEvent] = deque()
        self._awake = False
        self._closed = False

    @property
    def name(self) -> str:
        """The connection's name."""
        return self._name

    def tell(self, message: TurnEvent, *, deadline_s: float | None = None) -> Delivery:
        """Leave one piece of news; dropped when the client stands still. Any thread, never blocks."""
        del deadline_s  # what is read at all is read at once
        with self._lock:
            delivery = self._put(message)
            wake = delivery is Delivery.ACCEPTED and not self._awake
            self._awake = self._awake or wake
        if wake:
            self._wake()
        return delivery

    def _put(self, message: TurnEvent) -> Delivery:
        if self._closed:
            return Delivery.CLOSED
        last = self._events[-1] if self._events else None
        joined = _joined(last, message)
        if joined is not None:
            self._events[-1] = joined
            return Delivery.ACCEPTED
        room = MOST_EVENTS + MOST_ENDS if isinstance(message, TurnOver) else MOST_EVENTS
        if len(self._events) >= room:
            return Delivery.BUSY
        self._events.append(message)
        return Delivery.ACCEPTED

    def take(self) -> list[TurnEvent]:
        """Take all that is there, in order."""
        with self._lock:
            taken = list(self._events)
            self._events.clear()
            self._awake = False
        return taken

    @property
    def closed(self) -> bool:
        """Whether the client has left."""
        return self._closed

    def close(self) -> bool:
        """Refuse from now on: the client has left. Whether ``wake`` was called since the last ``take``."""
        with self._lock:
            self._closed = True
            self._events.clear()
            return self._awake


def _joined(last: TurnEvent | None, message: TurnEvent) -> TextDelta | None:
    """One piece of text made of two, or None when they are not that or too long."""
    if not (isinstance(last, TextDelta) and isinstance(message, TextDelta)):
        return None
    text = last.text + message.text
    return replace(last, text=text) if len(text) <= MOST_TEXT else None
