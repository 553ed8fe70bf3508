"""The seam to clock, locks and threads: the real one here, a virtual one in ``tests/kit`` (spec 5.5)."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

LONGEST_WAIT_S = 3600.0
"""A wait for longer is made of several; ``Condition.wait`` takes no infinite time-out."""


class ConditionLike(Protocol):
    """What the kernel needs of a condition: a lock that is not re-entrant, wait, notify."""

    def __enter__(self) -> bool:
        """Take the lock."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the lock back."""

    def wait(self, timeout: float | None = None) -> bool:
        """Give the lock back, wait at most ``timeout`` seconds for a notify, take the lock again."""

    def notify_all(self) -> None:
        """Wake all who wait."""


class ThreadLike(Protocol):
    """What the kernel needs of a started thread."""

    @property
    def ident(self) -> int | None:
        """The thread's number in ``sys._current_frames()``."""

    def join(self, timeout: float | None = None) -> None:
        """Wait at most ``timeout`` seconds for its end."""

    def is_alive(self) -> bool:
        """Whether it still runs."""


class World(Protocol):
    """Clock, locks, threads and chance, as the kernel uses them."""

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""

    def wall(self) -> float:
        """Seconds since 1970, for display only."""

    def random(self) -> float:
        """A number in [0, 1), for jitter."""

    def condition(self) -> ConditionLike:
        """A fresh condition with its own lock."""

    def spawn(self, name: str, target: Callable[[], None]) -> ThreadLike:
        """Start a thread; raises ``RuntimeError`` when the system gives no more of them."""


class RealWorld:
    """The machine's clock and threads. Threads are daemons: a stuck one never holds up the process's end."""

    def __init__(self) -> None:
        self.monotonic = time.monotonic
        self.wall = time.time
        self.random = random.random

    def condition(self) -> ConditionLike:
        """A ``threading.Condition`` over a plain lock."""
        return threading.Condition(threading.Lock())

    def spawn(self, name: str, target: Callable[[], None]) -> ThreadLike:
        """Start a daemon thread named ``name``."""
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        return thread
