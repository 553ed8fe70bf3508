"""How many connections may be chats; a room of ``actors/connection.py`` (spec 6.3).

A chat may wait an hour for the owner's word, which comes by another connection: chats never have them all.
"""

from __future__ import annotations

from threading import Lock

FOR_COMMANDS = 8
"""The connections that no chat gets."""


class ChatPlaces:
    """The chats among so many connections; each holds a place by its connection's name. Any thread."""

    def __init__(self, connections: int) -> None:
        self._most = connections - FOR_COMMANDS
        self._lock = Lock()
        self._taken: set[str] = set()

    def __len__(self) -> int:
        """How many chats run."""
        with self._lock:
            return len(self._taken)

    def enter(self, name: str) -> str | None:
        """Take a place; a sentence when there is none."""
        with self._lock:
            if len(self._taken) >= self._most:
                return f"{len(self._taken)} chats run, the most there may be; end one, then try again"
            self._taken.add(name)
        return None

    def leave(self, name: str) -> None:
        """Give the place back, if there is one."""
        with self._lock:
            self._taken.discard(name)
