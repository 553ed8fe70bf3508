"""How many connections may be chats and watches; a room of ``actors/connection.py`` (spec 6.3).

A chat may wait an hour for the owner's word, which comes by another connection, and a watch has no end: they
never have them all. Nor do watches have all that chats may have.
"""

from __future__ import annotations

from threading import Lock

FOR_COMMANDS = 8
"""The connections that no chat and no watch gets."""


class ChatPlaces:
    """The chats and watches among so many connections; each holds a place by its name. Any thread."""

    def __init__(self, connections: int) -> None:
        self._most = connections - FOR_COMMANDS
        self._most_watches = self._most // 2
        self._lock = Lock()
        self._chats: set[str] = set()
        self._watches: set[str] = set()

    def __len__(self) -> int:
        """How many chats and watches run."""
        with self._lock:
            return len(self._chats) + len(self._watches)

    def enter(self, name: str) -> str | None:
        """Take a place for a chat; a sentence when there is none."""
        with self._lock:
            if len(self._chats) + len(self._watches) >= self._most:
                return f"{self._running()} run, the most there may be; end one, then try again"
            self._chats.add(name)
        return None

    def enter_watch(self, name: str) -> str | None:
        """Take a place for a watch; a sentence when there is none."""
        with self._lock:
            full = len(self._chats) + len(self._watches) >= self._most
            if full or len(self._watches) >= self._most_watches:
                return f"{self._running()} run, the most there may be; end a watch, then try again"
            self._watches.add(name)
        return None

    def leave(self, name: str) -> None:
        """Give the place back, if there is one."""
        with self._lock:
            self._chats.discard(name)
            self._watches.discard(name)

    def _running(self) -> str:
        chats, watches = len(self._chats), len(self._watches)
        return f"{chats} chats and {watches} watches" if watches else f"{chats} chats"
