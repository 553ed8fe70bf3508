"""How long a network child rests before it is started again (spec 5.1). Pure: chance is an argument."""

from __future__ import annotations

from dataclasses import dataclass

_DOUBLINGS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Doubles from ``first_s`` to ``most_s``; a child that ran for ``most_s`` begins at ``first_s`` again."""

    first_s: float = 0.2
    most_s: float = 30.0


def delay_s(backoff: Backoff, failures: int, chance: float) -> float:
    """Seconds to wait after ``failures`` in a row (1 or more); ``chance`` in [0, 1) spreads the upper half.

    >>> delay_s(Backoff(first_s=1.0, most_s=30.0), 3, 0.0)
    2.0
    """
    doubled = backoff.first_s * 2.0 ** min(failures - 1, _DOUBLINGS)
    return min(doubled, backoff.most_s) * (0.5 + 0.5 * chance)
