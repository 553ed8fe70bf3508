"""What a test must not leave behind: threads, open mailboxes, unread dead letters, registered actors."""

from __future__ import annotations

import threading
import time

from pykka import ActorRegistry

from actors.base import DeadLetter, Runtime, Why
from actors.kernel.launch import stop

GRACE_S = 2.0
"""A thread that has told its end still needs a moment to be gone."""
STOP_S = 60.0


class Letters:
    """The dead letters of a runtime; those that the test has expected are read."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._read: set[int] = set()

    def expect(self, address: str, reason: Why | str) -> DeadLetter:
        """The oldest unread one for ``address``, which must have died of ``reason``."""
        for letter in self.unread():
            if letter.address == address and letter.reason == reason:
                self._read.add(letter.number)
                return letter
        raise AssertionError(f"no unread dead letter for {address} ({reason}) in {self.unread()}")

    def read_all(self) -> tuple[DeadLetter, ...]:
        """All unread ones; they are read then."""
        unread = self.unread()
        self._read.update(letter.number for letter in unread)
        return unread

    def unread(self) -> tuple[DeadLetter, ...]:
        """Those that the test has not expected."""
        return tuple(x for x in self._runtime.dead_letters.snapshot() if x.number not in self._read)


def stop_everything(runtime: Runtime) -> None:
    """Stop what has no supervisor, the newest first; that stops all below."""
    for life in reversed(runtime.lives()):
        if life.parent is None and life.alive:
            stop(life, STOP_S)


def open_mailboxes(runtime: Runtime) -> list[str]:
    """Mailboxes that somebody took from and nobody closed, and those that hold what nobody will read."""
    return [box.name for box in runtime.mailboxes() if not box.closed and (box.epoch > 0 or box.depth)]


def threads_left(before: set[threading.Thread]) -> list[str]:
    """Names of the threads begun since ``before`` that do not end within the grace."""
    deadline_s = time.monotonic() + GRACE_S
    for thread in set(threading.enumerate()) - before:
        if thread is not threading.current_thread():
            thread.join(max(0.0, deadline_s - time.monotonic()))
    return sorted(thread.name for thread in set(threading.enumerate()) - before)


def registered_actors() -> list[str]:
    """Names of the classes whose actors Pykka still holds."""
    return sorted(ref.actor_class.__name__ for ref in ActorRegistry.get_all())
