"""SIGTERM and SIGINT: the first asks for a stop in order, a second one ends at once (spec 5.4)."""

from __future__ import annotations

import contextlib
import os
import select
import signal

STOP = (signal.SIGTERM, signal.SIGINT)
_LOOK_S = 3600.0


class StopSignals:
    """Made in the main thread. A stop is wanted by a signal, or by whoever knows that the end has come.

    The main thread waits on a pipe. A handler runs in the very thread that waits, between two of its steps,
    so it may take no lock that the wait holds, as ``threading.Event`` does.

    Who starts the process may hand it on with both signals blocked, so that one that comes while modules are
    imported waits for the handler; they are let in here.
    """

    def __init__(self) -> None:
        self._wanted = self._seen = False
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        for number in STOP:
            signal.signal(number, lambda number, _frame: self._on_signal(number))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP)

    @property
    def wanted(self) -> bool:
        """Whether a stop is wanted. Any thread."""
        return self._wanted

    def want(self) -> None:
        """Want a stop, and wake the main thread. Any thread, and a signal's handler."""
        self._wanted = True
        with contextlib.suppress(BlockingIOError):  # a full pipe wakes as well
            os.write(self._wake, b"!")

    def block_until_wanted(self) -> None:
        """Block the main thread until a stop is wanted; looks up now and then, as no wait is without end."""
        while not self._wanted:
            select.select([self._woken], [], [], _LOOK_S)

    def _on_signal(self, number: int) -> None:
        if self._seen:
            os._exit(128 + number)
        self._seen = True
        self.want()
