"""What was sent and never handled: a bounded ring without text, and counters (spec 5.3)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from itertools import islice

from actors.kernel.world import World

RING = 512
COUNTED = 512
"""Counters of their own; short-lived addresses beyond them are counted together, as ``asks/*``."""
_DEPTH = 4
_ITEMS = 1000


class Why(StrEnum):
    """Why a letter is dead."""

    DEAD = "dead"
    """Sent to a stopped actor, or left in its mailbox when it closed for good."""
    BUSY = "busy"
    """Refused at the door of a full mailbox."""
    EXPIRED = "expired"
    """Its deadline had passed, or its asker had gone, before it was taken."""
    LATE = "late"
    """An answer after its deadline, or to an asker that had gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """One letter: ``at_s`` is wall time, ``size`` characters and bytes of text in it; never the text.

    ``unwanted`` is an answer whose asker had let go of it before its deadline: a stopped turn, a client that
    has left. It is counted as any other, and nothing is wrong.
    """

    number: int
    at_s: float
    address: str
    reason: Why
    type_name: str
    size: int
    unwanted: bool = False


class DeadLetters:
    """The ring and the counters by (address, reason). Any thread; outlives every actor."""

    def __init__(self, world: World, ring: int = RING) -> None:
        self._world = world
        self._lock = world.condition()
        self._ring: deque[DeadLetter] = deque(maxlen=ring)
        self._counts: Counter[tuple[str, Why]] = Counter()
        self._number = 0
        self._read = 0
        self._unread = False
        self._listener: Callable[[], object] | None = None

    def count(self, address: str, reason: Why, type_name: str, size: int, *, unwanted: bool = False) -> None:
        """Note one letter; the listener hears of the first since it last read."""
        with self._lock:
            self._number += 1
            self._counts[self._counter(address, reason)] += 1
            self._ring.append(
                DeadLetter(
                    number=self._number,
                    at_s=self._world.wall(),
                    address=address,
                    reason=reason,
                    type_name=type_name,
                    size=size,
                    unwanted=unwanted,
                )
            )
            listener = None if self._unread else self._listener
            self._unread = True
        if listener is not None:
            listener()

    def _counter(self, address: str, reason: Why) -> tuple[str, Why]:
        """Which counter a letter goes to: what ``/`` names is made without end, the rest is the tree."""
        own, (above, below, _) = (address, reason), address.partition("/")
        fits = not below or own in self._counts or len(self._counts) < COUNTED
        return own if fits else (f"{above}/*", reason)

    def listen(self, listener: Callable[[], object] | None) -> None:
        """Have ``listener`` called, in the sender's thread, once for each stretch of unread letters."""
        with self._lock:
            self._listener = listener
            waiting = self._unread and listener is not None
        if waiting and listener is not None:
            listener()

    def read_new(self) -> tuple[DeadLetter, ...]:
        """The letters in the ring since the last reading, oldest first; the listener is armed again.

        What was read is remembered here, so that a reader that was restarted does not begin anew.
        """
        with self._lock:
            newer = min(self._number - self._read, len(self._ring))
            self._read, self._unread = self._number, False
            return tuple(islice(self._ring, len(self._ring) - newer, None))

    def snapshot(self) -> tuple[DeadLetter, ...]:
        """The ring, oldest first."""
        with self._lock:
            return tuple(self._ring)

    def counts(self) -> dict[tuple[str, Why], int]:
        """How many by (address, reason), since the process began."""
        with self._lock:
            return dict(self._counts)


def size_of(message: object, depth: int = _DEPTH) -> int:
    """Characters and bytes of text in a message, through its fields and tuples, at most a few levels deep."""
    if isinstance(message, str | bytes):
        return len(message)
    if depth == 0:
        return 0
    if isinstance(message, tuple | list):
        return sum(size_of(item, depth - 1) for item in message[:_ITEMS])
    if is_dataclass(message) and not isinstance(message, type):
        return sum(size_of(getattr(message, field.name, None), depth - 1) for field in fields(message))
    return 0
