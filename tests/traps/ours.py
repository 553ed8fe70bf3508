"""The same obedient actor on our base, alone or under a supervisor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors.base import Actor, Context, Mailbox, Runtime
from actors.supervising import start_root
from bxcore.supervision import ChildSpec, SupervisorSpec


class Ours(Actor):
    """A message that can be called is called; any other is answered with itself."""

    def __init__(
        self,
        context: Context,
        starting: Callable[[], None] = lambda: None,
        stopping: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(context)
        self._starting = starting
        self._stopping = stopping

    def on_start(self) -> None:
        self._starting()

    def on_stop(self) -> None:
        self._stopping()

    def on_receive(self, message: Any) -> object:
        return message() if callable(message) else message


def supervised(runtime: Runtime, *names: str, intensity: int = 5) -> list[Mailbox]:
    """The mailboxes of actors kept by one supervisor, ready."""
    children = tuple(ChildSpec(name=name, start=Ours) for name in names)
    start_root(runtime, SupervisorSpec(intensity=intensity, children=children))
    return [runtime.mailbox(name) for name in names]
