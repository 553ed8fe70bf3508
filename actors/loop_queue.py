"""The messages of one session that wait for its running turn; a room of ``actors/loop.py`` (spec 3.1)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from actors.base import Reply
from bxcore.messages.loop import Queued, RunTurn

WAITING = 32
"""Messages that wait in one session."""


@dataclass(slots=True, kw_only=True)
class Asked:
    """A turn that is wanted. ``reply`` is the asker's; None when the loop was told."""

    turn: RunTurn
    reply: Reply | None
    place: int = 0
    """What the asker was told last."""

    @property
    def gone(self) -> bool:
        """Whether its asker waits no more; one that was told never did."""
        return self.reply is not None and self.reply.abandoned


class SessionQueue:
    """In the order they came. Each asker is told its place, and again when it moves."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._waiting: deque[Asked] = deque()

    def __len__(self) -> int:
        """How many wait; of those whose asker has gone none does."""
        self._forget_gone()
        return len(self._waiting)

    def put(self, asked: Asked) -> bool:
        """Have it wait; False when there is no room."""
        if len(self) >= WAITING:
            return False
        self._waiting.append(asked)
        self._tell_places()
        return True

    def take(self) -> Asked | None:
        """The next one whose asker still waits, None when there is none. The others move."""
        self._forget_gone()
        taken = self._waiting.popleft() if self._waiting else None
        self._tell_places()
        return taken

    def _forget_gone(self) -> None:
        self._waiting = deque(asked for asked in self._waiting if not asked.gone)

    def _tell_places(self) -> None:
        for place, asked in enumerate(self._waiting, 1):
            listener = asked.turn.say.listener
            if listener is not None and asked.place != place:
                listener.tell(Queued(session=self._session, place=place))
            asked.place = place
