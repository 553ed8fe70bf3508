"""AWS secret keys: forty characters without a mark of their own, found by the access key id near them.

The id alone is no secret (consoles and logs print it), and forty such characters alone are too common.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache

NEAR = 500
"""Characters between an id and a secret that still belong together: some lines of a file."""

Span = tuple[int, int]


@cache
def _id() -> re.Pattern[str]:
    return re.compile(r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Za-z0-9])", re.ASCII)


@cache
def _forty() -> re.Pattern[str]:
    return re.compile(r"(?<![A-Za-z0-9/+])(?![0-9a-f]{40})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])", re.ASCII)


def aws_secrets(text: str) -> list[Span]:
    """Where the forty characters stand that have an access key id within ``NEAR`` characters."""
    ids = [match.start() for match in _id().finditer(text)]
    if not ids:
        return []
    return [match.span() for match in _forty().finditer(text) if _near(ids, match.start(), match.end())]


def _near(ids: list[int], start: int, end: int) -> bool:
    following = bisect_left(ids, start)
    before = following > 0 and start - ids[following - 1] <= NEAR
    after = following < len(ids) and ids[following] - end <= NEAR
    return before or after
