"""A message on its way, and the kernel's own orders to an actor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from actors.kernel.outcome import Outcome
from actors.kernel.reply import Reply


class Letter:
    """A message, who waits for its answer, until when it is worth reading, and for which incarnation.

    Stands in for Pykka's envelope: Pykka reads ``message`` and a ``reply_to`` that is always None.
    """

    __slots__ = ("deadline_s", "epoch", "message", "reply", "taken_over")
    reply_to: ClassVar[None] = None

    def __init__(
        self,
        message: Any,
        reply: Reply | None = None,
        deadline_s: float | None = None,
        epoch: int | None = None,
    ) -> None:
        self.message = message
        self.reply = reply
        self.deadline_s = deadline_s
        self.epoch = epoch
        self.taken_over = False


class Order:
    """What the kernel itself tells an actor; never seen by ``on_receive``."""

    __slots__ = ()


class Stop(Order):
    """End now. ``comes_back`` tells askers apart: Restarting or Dead."""

    __slots__ = ("comes_back",)

    def __init__(self, *, comes_back: bool) -> None:
        self.comes_back = comes_back


class Fenced(Order):
    """The lease is over: a newer incarnation owns the mailbox."""

    __slots__ = ()


class Inspect(Order):
    """Answer with the actor's counters, between two messages."""

    __slots__ = ()


class Ping(Order):
    """Answer with nothing, between two messages: the thread is alive and takes from its mailbox."""

    __slots__ = ()


class Piped(Order):
    """Replies that the actor waits for without blocking are over: make its message."""

    __slots__ = ("make", "outcomes")

    def __init__(self, make: Callable[[list[Outcome]], Any], outcomes: Callable[[], list[Outcome]]) -> None:
        self.make = make
        self.outcomes = outcomes


class PipeDue(Order):
    """The deadline of replies that the actor waits for without blocking has come."""

    __slots__ = ("abandon",)

    def __init__(self, abandon: Callable[[], None]) -> None:
        self.abandon = abandon
