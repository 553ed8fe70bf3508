"""Many turns in little room: the numbers of a log's turns as ranges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

L = TypeVar("L", bound=Hashable)


@dataclass(slots=True)
class TurnSet(Generic[L]):
    """Turns of logs; ``L`` names a log. Adding them in order costs least."""

    _ranges: dict[L, list[list[int]]] = field(default_factory=dict)
    """First and last turn of each, in order; they neither touch nor overlap."""

    def add(self, log: L, turn: int) -> None:
        """Add one; a second time does nothing."""
        ranges = self._ranges.setdefault(log, [])
        at = bisect_right(ranges, turn, key=_first)
        if at and turn <= ranges[at - 1][1]:
            return
        joins_left = at > 0 and ranges[at - 1][1] == turn - 1
        joins_right = at < len(ranges) and ranges[at][0] == turn + 1
        if joins_left and joins_right:
            ranges[at - 1][1] = ranges.pop(at)[1]
        elif joins_left:
            ranges[at - 1][1] = turn
        elif joins_right:
            ranges[at][0] = turn
        else:
            ranges.insert(at, [turn, turn])

    def has(self, log: L, turn: int) -> bool:
        """Whether a turn is in."""
        ranges = self._ranges.get(log, [])
        at = bisect_right(ranges, turn, key=_first)
        return at > 0 and turn <= ranges[at - 1][1]

    def __iter__(self) -> Iterator[tuple[L, int]]:
        """Every turn, with its log."""
        for log, ranges in self._ranges.items():
            for first, last in ranges:
                yield from ((log, turn) for turn in range(first, last + 1))

    def ranges(self) -> Iterator[tuple[L, list[list[int]]]]:
        """All of it in little room."""
        yield from self._ranges.items()

    @classmethod
    def of(cls, ranges: Iterable[tuple[L, list[list[int]]]]) -> TurnSet[L]:
        """What ``ranges`` gave."""
        return cls(dict(ranges))


def _first(each: list[int]) -> int:
    return each[0]
