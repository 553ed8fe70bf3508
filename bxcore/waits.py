"""How long each waits for whom, in one table (spec 2.3); a test hands in shorter ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

BROKER_OVER_CHAT_S = 20.0
LOOP_OVER_CHAT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Seconds, each a deadline on the monotonic clock that no partial answer restarts."""

    chat_s: float = 150.0
    """A HonchoChat for Honcho: one deadline shared by both chats of an ask."""
    broker_ask_memory_s: float = 170.0
    broker_memory_s: float = 30.0
    broker_audit_s: float = 5.0
    """The broker for the audit, which only writes and syncs one line."""
    loop_ask_memory_s: float = 180.0
    """Or the broker's own time-out, when that is longer."""
    loop_call_s: float = 120.0
    """``[broker] timeout_ms``, for every call but ``ask_memory``."""

    @classmethod
    def configured(cls, *, chat_s: float, call_s: float) -> Self:
        """The table for ``[honcho] chat_wait_s`` and ``[broker] timeout_ms``, both here in seconds.

        Who waits for a longer chat waits longer too, so that the one below always answers first.
        """
        table = cls(chat_s=chat_s, loop_call_s=call_s)
        return replace(
            table,
            broker_ask_memory_s=max(table.broker_ask_memory_s, chat_s + BROKER_OVER_CHAT_S),
            loop_ask_memory_s=max(table.loop_ask_memory_s, chat_s + LOOP_OVER_CHAT_S),
        )

    @property
    def loop_for_ask_memory_s(self) -> float:
        """What the loop grants the broker for ``ask_memory``."""
        return max(self.loop_ask_memory_s, self.loop_call_s)
