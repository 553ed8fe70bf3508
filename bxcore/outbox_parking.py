"""Why turns were parked, in words for a person: by the status that their mark begins with (spec 4.7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

FAILS_ALONE = "500 again and again, while the server was well at all else"
"""Of a turn that the server never took and gave no reason for."""
_TOO_LARGE = frozenset({"413", "414", "431"})
REFUSED_ALL = 3
"""Turns refused in a row, and none taken since, that say more of the server than of what they hold."""


def reasons(whys: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """What a server does to parked turns, and how many there are of each; the most come first."""
    return tuple(Counter(map(_reason, whys)).most_common())


def _reason(why: str) -> str:
    status = why[:3]
    if status in _TOO_LARGE:
        return "too large for the server or a proxy before it"
    if status.isdecimal() and status >= "500":
        return "the server fails on what they hold"
    return "Honcho refuses what they hold"
