"""A bare Pykka actor that does as it is told, and a way to stop what a trap leaves behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pykka import ActorRef, ActorRegistry, ThreadingActor

WAIT_S = 5.0


class Bare(ThreadingActor):
    """A message that can be called is called; any other is answered with itself."""

    use_daemon_thread = True

    def __init__(
        self, starting: Callable[[], None] = lambda: None, stopping: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__()
        self.heard: list[str] = []
        self._starting = starting
        self._stopping = stopping

    def on_start(self) -> None:
        self._starting()

    def on_stop(self) -> None:
        self.heard.append("on_stop")
        self._stopping()

    def on_failure(self, *_: Any) -> None:
        self.heard.append("on_failure")

    def on_receive(self, message: Any) -> Any:
        return message() if callable(message) else message


def raising(error: type[BaseException]) -> Callable[[], None]:
    """A message, or a start, that raises."""

    def burst() -> None:
        raise error

    return burst


def wait(event: threading.Event) -> None:
    """Wait for an event that must come."""
    assert event.wait(WAIT_S)


def object_of(ref: ActorRef[Bare]) -> Bare:
    """The actor behind a ref, to see which hooks it heard."""
    actor = ref._actor_weakref()
    assert actor is not None
    return actor


@contextmanager
def bare_actors() -> Iterator[None]:
    """Stop all bare actors at the end."""
    try:
        yield
    finally:
        ActorRegistry.stop_all(timeout=WAIT_S)
