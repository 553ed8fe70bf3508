"""One approval, what it is bound to, and what may happen to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from bxcore.labels import Label


class How(StrEnum):
    """How an approval ended; the word is the audit's."""

    APPROVED = "approved"
    SESSION = "session"
    """Approved, and with it every later call of the tool under the same grant in that session."""
    DENIED = "denied"
    EXPIRED = "expired"
    UNDELIVERABLE = "undeliverable"
    WITHDRAWN = "withdrawn"

    @property
    def approves(self) -> bool:
        """Whether the call may run."""
        return self in (How.APPROVED, How.SESSION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """Bound to one call: its id, tool, canonical arguments' sha256, grants and session's label.

    ``grant`` is the one under which it runs, ``bound`` stands for all that reach it (``Verdict.bound``).

    ``shown`` is what a person sees, ``hidden`` characters of the call are in ``whole`` only, which is empty
    once it is over; ``why`` is why they are asked. ``expires_s`` is on the monotonic clock of
    the process that opened it.
    """

    code: str
    session: str
    turn: int
    call: str
    tool: str
    args_sha256: str
    grant: str
    grant_sha256: str
    bound: str
    label: Label
    why: str
    shown: str
    whole: str
    hidden: int
    expires_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """It waits for the owner."""

    approval: Approval


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """It is over. ``by`` is the surface of the answer, None when nobody answered.

    ``box_ended`` says that the process ended before anybody answered.
    """

    code: str
    how: How
    by: str | None = None
    box_ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """Its call is about to run: from now on nobody can say that it did not."""

    code: str


Event: TypeAlias = Opened | Ended | Used


@dataclass(frozen=True, slots=True, kw_only=True)
class Over:
    """An approval that has ended; ``earlier`` when an earlier process had opened it."""

    approval: Approval
    ended: Ended
    used: bool = False
    earlier: bool = False
