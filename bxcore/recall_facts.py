"""What recall tells the box of itself, for ``status`` (spec 4.3, 6.3)."""

from __future__ import annotations

from dataclasses import dataclass

MB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallFacts:
    """What the index holds and takes on disk, and of how many sessions some are still to be taken in.

    ``left_out`` counts the old turns that went so that the index stays within its bound. ``problem`` says why
    it cannot be used, empty when it can.
    """

    turns: int = 0
    notes: int = 0
    disk_bytes: int = 0
    left_out: int = 0
    missing: int = 0
    of: int = 0
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether nobody has to look at it; one that is being made is well."""
        return not self.problem

    @property
    def text(self) -> str:
        """One line without a session's name or a text."""
        if self.problem:
            return self.problem
        if self.missing:
            done = 100 * (self.of - self.missing) // max(self.of, 1)
            return f"taking in what was said, {done} % of {_counted(self.of, 'session')}"
        held = f"{_counted(self.turns, 'turn')}, {_counted(self.notes, 'note')}"
        size = f"{held}, {self.disk_bytes / MB:,.1f} MB"
        return f"{size}; the oldest {_counted(self.left_out, 'turn')} left out" if self.left_out else size


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"
