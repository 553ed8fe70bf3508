"""How far a long command has come, said from time to time."""

from __future__ import annotations

import time
from collections.abc import Callable

from bxctl.printing import talk

EVERY_S = 3.0


class Progress:
    """Counts up to ``total`` and says so as talk, never in the first ``EVERY_S`` and never at the end."""

    def __init__(self, what: str, total: int, now: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._total = total
        self._now = now
        self._done = 0
        self._said_s = now()

    def add(self, more: int) -> None:
        """So much more is done."""
        self._done += more
        if self._now() - self._said_s >= EVERY_S and self._done < self._total:
            self._said_s = self._now()
            talk(f"{self._what} {self._done:,} of {self._total:,}")
