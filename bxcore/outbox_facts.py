"""What the outbox tells the box of itself, for ``status`` (spec 4.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

LONG_S = 300.0
"""After so long of failures that may mend themselves, a person should know: a server that is down, starts
or is too busy. What does not mend itself a person should know at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxFacts:
    """Turns that wait and that were parked, the age of the oldest that waits, and why the last try failed.

    ``oldest_s`` is 0.0 as long as none of them was read from the ledger.
    ``failing_s`` is for how long tries have failed, 0 when the last one did not. ``queue`` says what Honcho
    has still to think about, per workspace; empty when it was not asked. ``lasting`` says that what fails
    does not mend itself, ``refuses_all`` that several turns were refused in a row and none was taken since.
    ``reasons`` are those of the parked turns, in words, with how many each.
    """

    waiting: int
    parked: int
    oldest_s: float = 0.0
    failing: str = ""
    failing_s: float = 0.0
    saves: bool = True
    queue: tuple[tuple[str, str], ...] = ()
    lasting: bool = False
    refuses_all: bool = False
    reasons: tuple[tuple[str, int], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nobody has to look at it."""
        failing = bool(self.failing) and (self.lasting or self.failing_s > LONG_S)
        return self.parked == 0 and not failing and not self.refuses_all

    @property
    def text(self) -> str:
        """One line without a session's name or a text."""
        said = [self._waiting(), *self._parked()]
        if self.refuses_all:
            said.append("Honcho refuses every turn, it has taken none since")
        if self.failing:
            said.append(f"failing for {_age(self.failing_s)}: {self.failing}")
        said += [f"{workspace}: {text}" for workspace, text in self.queue]
        return "; ".join(said)

    def _parked(self) -> Iterator[str]:
        yield from (f"{_turns(count)} parked, {reason}" for reason, count in self.reasons)
        if self.parked and not self.reasons:
            yield f"{_turns(self.parked)} parked"

    def _waiting(self) -> str:
        if not self.waiting and self.parked:
            return "no turn waits"
        if not self.waiting:
            return "every turn is delivered" if self.saves else "[honcho] save is false, nothing is sent"
        held = "" if self.saves else ", [honcho] save is false"
        verb = "waits" if self.waiting == 1 else "wait"
        oldest = f", the oldest for {_age(self.oldest_s)}" if self.oldest_s else ""
        return f"{_turns(self.waiting)} {verb}{oldest}{held}"


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count:,} turns"


def _age(seconds: float) -> str:
    for size, name in ((86_400.0, "d"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} s"
