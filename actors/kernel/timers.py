"""An actor's own wake-up heap; only its thread touches it, so it needs no lock."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any


class Timer:
    """One wake-up; ``cancel`` before it is due and its message never comes."""

    __slots__ = ("cancelled", "due_s", "message")

    def __init__(self, due_s: float, message: Any) -> None:
        self.due_s = due_s
        self.message = message
        self.cancelled = False

    def cancel(self) -> None:
        """Forget it and what it holds; harmless when it has fired already."""
        self.cancelled = True
        self.message = None


class Timers:
    """Timers by due time, ties in the order they were set."""

    __slots__ = ("_heap", "_number")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Timer]] = []
        self._number = 0

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, due_s: float, message: Any) -> Timer:
        """Set one for ``due_s`` (absolute, monotonic)."""
        timer = Timer(due_s, message)
        self._number += 1
        heapq.heappush(self._heap, (due_s, self._number, timer))
        return timer

    def next_due_s(self) -> float | None:
        """When the earliest that still counts is due."""
        while self._heap and self._heap[0][2].cancelled:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def pop_due(self, now_s: float, take: Callable[[Timer], object]) -> None:
        """Hand every timer due by ``now_s`` to ``take``, earliest first."""
        while self._heap and self._heap[0][0] <= now_s:
            timer = heapq.heappop(self._heap)[2]
            if not timer.cancelled:
                take(timer)
