"""The audience of each session that has one, for as long as the process runs (spec 3.1)."""

from __future__ import annotations

import threading
from weakref import WeakValueDictionary

from bxcore.address import Address
from bxcore.messages.loop import TurnEvent
from bxio.audience import Audience


class Audiences:
    """Outlives the loop's incarnations and the sessions' actors. Any thread.

    An audience that nobody watches and that no turn holds is forgotten by itself, so ended sessions cost
    nothing; while somebody holds one, every other gets the same.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: WeakValueDictionary[str, Audience] = WeakValueDictionary()
        self._watched: dict[str, Audience] = {}

    def __len__(self) -> int:
        """How many there are."""
        return len(self._all)

    def of(self, session: str) -> Audience:
        """The session's audience, for as long as it is held."""
        with self._lock:
            return self._of(session)

    def join(self, session: str, listener: Address[TurnEvent]) -> bool:
        """Have the listener watch the session; False when too many do."""
        with self._lock:
            audience = self._of(session)
            joined = audience.join(listener)
            self._watched = {name: each for name, each in self._watched.items() if each.watched}
            if joined:
                self._watched[session] = audience
            return joined

    def leave(self, session: str, listener: Address[TurnEvent]) -> None:
        """Tell the listener no more of the session."""
        with self._lock:
            audience = self._watched.get(session)
            if audience is not None:
                audience.leave(listener)
                if not audience.watched:
                    del self._watched[session]

    def _of(self, session: str) -> Audience:
        found = self._all.get(session)
        if found is None:
            found = self._all[session] = Audience(session)
        return found
