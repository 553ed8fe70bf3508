"""Messages of a supervisor, and the control connection's requests to it (spec 5.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class StartChild:
    """Start a dynamic child on a mailbox made beforehand. Told; a failed start closes the mailbox.

    ``spec`` is a ``bxcore.supervision.ChildSpec``; ``mailbox`` the kernel's ``Mailbox``.
    """

    spec: Any
    mailbox: Any
    kind: Literal["start_child"] = "start_child"

    def undelivered(self) -> None:
        """Called by the kernel when no supervisor will read this: who asked the mailbox hears of it."""
        self.mailbox.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartChild:
    """An operator's restart of the child named ``name``. Asked; the reply is a ``Done``."""

    name: str
    kind: Literal["restart_child"] = "restart_child"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopChild:
    """Stop a child and keep it stopped. Asked; the reply is a ``Done``."""

    name: str
    kind: Literal["stop_child"] = "stop_child"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartStopped:
    """Start a child that was stopped by hand. Asked; the reply is a ``Done``."""

    name: str
    kind: Literal["start_stopped"] = "start_stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Down:
    """News of a child's end: which incarnation, why, and when it crashed the exception's type name.

    A ``Refusal`` raised while it started stands there with its sentence.
    """

    name: str
    incarnation: int
    reason: Literal["normal", "shutdown", "crashed", "start_failed"]
    error: str | None
    kind: Literal["down"] = "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dying:
    """News of a child that ends by itself and begins to clean up; its Down must follow within the budget."""

    name: str
    incarnation: int
    kind: Literal["dying"] = "dying"


@dataclass(frozen=True, slots=True, kw_only=True)
class TryAgain:
    """A supervisor tells itself: start this child again, its backoff is over."""

    name: str
    incarnation: int
    kind: Literal["try_again"] = "try_again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Overdue:
    """A supervisor tells itself: this child's budget for its start or its clean-up is over."""

    name: str
    incarnation: int
    kind: Literal["overdue"] = "overdue"


SupervisorMessage: TypeAlias = (
    StartChild | RestartChild | StopChild | StartStopped | Down | Dying | TryAgain | Overdue
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What became of an operator's wish; ``sentence`` says what happened."""

    ok: bool
    sentence: str
