"""Stuck threads that were fenced off their mailboxes: none can be ended, so they are counted (spec 5.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from actors.kernel.world import World

if TYPE_CHECKING:
    from actors.kernel.life import Life

MOST = 16
OLDEST_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Zombie:
    """One stuck incarnation and how long it has been fenced, in seconds."""

    name: str
    incarnation: int
    age_s: float


class Zombies:
    """The list, and the limits over which the process must end. Any thread; outlives every actor."""

    def __init__(self, world: World, *, most: int = MOST, oldest_s: float = OLDEST_S) -> None:
        self.most = most
        self.oldest_s = oldest_s
        self.on_limit: Callable[[str], object] | None = None
        self._world = world
        self._lock = world.condition()
        self._since: dict[Life, float] = {}

    def add(self, life: Life) -> None:
        """Note a fenced life whose thread goes on."""
        with self._lock:
            if life.alive:
                self._since[life] = self._world.monotonic()
        self.check()

    def gone(self, life: Life) -> None:
        """Its thread has ended after all. That thread's own last act."""
        with self._lock:
            self._since.pop(life, None)

    def lives(self) -> tuple[Life, ...]:
        """All, oldest first, as their stacks are looked at."""
        with self._lock:
            return tuple(self._since)

    def snapshot(self) -> tuple[Zombie, ...]:
        """All, oldest first."""
        with self._lock:
            now_s = self._world.monotonic()
            return tuple(
                Zombie(name=life.name, incarnation=life.incarnation, age_s=now_s - since_s)
                for life, since_s in self._since.items()
            )

    def check(self) -> None:
        """Call the hook with a sentence when there are too many or one is too old."""
        stuck = self.snapshot()
        if self.on_limit is None or not stuck:
            return
        if len(stuck) > self.most:
            self.on_limit(f"{len(stuck)} stuck threads, more than {self.most}")
        elif stuck[0].age_s > self.oldest_s:
            self.on_limit(f"{stuck[0].name} has been stuck for more than {self.oldest_s:.0f} s")
