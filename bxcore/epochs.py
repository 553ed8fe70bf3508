"""A session's records over its epochs: each begins with the facts of those before it (spec 3.4)."""

from __future__ import annotations

from collections.abc import Sequence

from bxcore.records import Record, SessionStart, User


class EpochError(ValueError):
    """The epochs are not those of one whole session; ``.args[0]`` says which one, and what is wrong."""


def turns_before(records: Sequence[Record]) -> int:
    """The turns of the epochs before the one that the records begin with; 0 for a whole log."""
    first = records[0] if records else None
    return first.turns if isinstance(first, SessionStart) else 0


def joined(parts: Sequence[Sequence[Record]]) -> tuple[Record, ...]:
    """The records of epochs that follow one another, from the first one or a later one on.

    Raises ``EpochError`` when one has lost turns, as a file that was cut short has, or its start.
    """
    turns = turns_before(parts[0]) if parts else 0
    for place, part in enumerate(parts):
        if place and not _goes_on(parts[0][0] if parts[0] else None, part, place, turns):
            raise EpochError(f"an epoch does not go on where the one before, of {turns} turns, ended")
        turns += sum(isinstance(record, User) for record in part)
    return tuple(record for part in parts for record in part)


def _goes_on(first: Record | None, part: Sequence[Record], place: int, turns: int) -> bool:
    start = part[0] if part else None
    return (
        isinstance(first, SessionStart)
        and isinstance(start, SessionStart)
        and (start.epoch, start.turns, start.log) == (first.epoch + place, turns, first.log)
    )
