"""The broker's step 0: a turn makes at most so many calls, and no call a third time in vain (spec 2.3)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

CALLS_PER_TURN = 30
SAME_RESULTS = 2
"""A call that gave the same result this many times in a turn is not run again in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """The last result of a canonical call, by its sha256, and how often in a row it was that one."""

    result_sha256: str
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCalls:
    """What one turn has called so far; a value, so a call in hand changes nothing until it is over."""

    turn: int
    limit: int = CALLS_PER_TURN
    made: int = 0
    seen: dict[str, _Seen] = field(default_factory=dict)

    def refuse_more(self) -> str | None:
        """Why no call at all is run any more, or None."""
        if self.made < self.limit:
            return None
        return f"this turn has made {self.limit} calls, the most a turn may; answer with what you have"

    def refuse_again(self, call: str) -> str | None:
        """Why ``call`` (the tool's name and its canonical arguments) is not run once more, or None."""
        seen = self.seen.get(call)
        if seen is None or seen.times < SAME_RESULTS:
            return None
        return "this same call gave the same result twice in this turn; use that result or ask differently"

    def counted(self) -> Self:
        """With one call more, refused ones too."""
        return replace(self, made=self.made + 1)

    def finished(self, call: str, result_sha256: str) -> Self:
        """With the result of ``call`` remembered by its sha256."""
        seen = self.seen.get(call)
        times = seen.times + 1 if seen is not None and seen.result_sha256 == result_sha256 else 1
        return replace(self, seen={**self.seen, call: _Seen(result_sha256=result_sha256, times=times)})
