"""What ``bxctl inspect`` shows of a living actor (spec 6.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actors.kernel.life import Life


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """Counters of one incarnation; ``facts`` are the actor's own. ``answered`` is False when it did not."""

    name: str
    incarnation: int
    age_s: float
    mailbox_depth: int
    mailbox_bound: int
    handled: int
    timers: int
    replies_owed: int
    replies_awaited: int
    in_hand: str | None
    answered: bool
    facts: Mapping[str, str | int | float]

    @classmethod
    def of(cls, life: Life, facts: Mapping[str, str | int | float] | None) -> Inspection:
        """Read the counters; ``facts`` is None when the actor did not answer. Any thread."""
        lease, letter = life.lease, life.lease.in_hand
        return cls(
            name=life.name,
            incarnation=life.incarnation,
            age_s=life.runtime.world.monotonic() - life.since_s,
            mailbox_depth=lease.box.depth,
            mailbox_bound=lease.box.bound,
            handled=lease.handled,
            timers=len(lease.timers),
            replies_owed=life.owes,
            replies_awaited=len(life.pipes),
            in_hand=type(letter.message).__name__ if letter is not None and facts is None else None,
            answered=facts is not None,
            facts=facts or {},
        )
