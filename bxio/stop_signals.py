"""SIGTERM and SIGINT: the first asks for a stop in order, a second one ends at once (spec 5.4)."""

from __future__ import annotations

import os
import signal
import threading

_LOOK_S = 3600.0


class StopSignals:
    """Made in the main thread. ``wanted`` is set by a signal, or by whoever knows that the end has come."""

    def __init__(self) -> None:
        self.wanted = threading.Event()
        self._seen = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _frame: self._on_signal(number))

    def block_until_wanted(self) -> None:
        """Block the main thread until a stop is wanted; looks up now and then, as no wait is without end."""
        while not self.wanted.wait(_LOOK_S):
            pass

    def _on_signal(self, number: int) -> None:
        if self._seen:
            os._exit(128 + number)
        self._seen = True
        self.wanted.set()
