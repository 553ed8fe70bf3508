"""Ending one turn from outside, whatever it is blocked on."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Brake:
    """One a turn. The turn's thread says what a pull must wake; any thread pulls."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], object]] = []
        self._pulled = False
        self._over = False

    def pulled(self) -> bool:
        """Whether the turn is to end now."""
        return self._pulled

    @property
    def over(self) -> bool:
        """Whether the turn has ended, in whatever way."""
        return self._over

    def pull(self) -> None:
        """End the turn: every callback runs, here, once. After ``release`` it does nothing."""
        with self._lock:
            if self._over:
                return
            self._pulled = True
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def release(self) -> None:
        """The turn has ended: a later pull does nothing, and what it would have woken is let go of."""
        with self._lock:
            self._over = True
            self._callbacks = []

    def on_pull(self, callback: Callable[[], object]) -> None:
        """Have ``callback`` run once when the brake is pulled; at once, here, when it is already."""
        with self._lock:
            if not self._pulled:
                self._callbacks.append(callback)
                return
        callback()
