"""Which files a session must have, by their names and sizes: what is lost is no crash's work (spec 3.1, 3.2).

A crash leaves a log's first file empty or torn only where the baseline has no name yet: it gets that when the
first record is on disk. A later file gets its name when it is whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

LOG = "0.jsonl"
"""The first epoch's file."""
BASELINE = "baseline.json"
"""The name that the saved baseline has from when the log's first record is on disk."""
NEXT = f"{BASELINE}.next"
"""A baseline whose sha256 no record on disk names yet."""
NO_LINE = "is damaged, its first line is not whole"
_NAMED = re.compile(r"(0|[1-9][0-9]{0,8})\.jsonl")
_TORN = re.compile(rf"{_NAMED.pattern}\.torn-[0-9]+")


def is_log(name: str) -> bool:
    """Whether a file of that name is a part of the log."""
    return _NAMED.fullmatch(name) is not None


def is_torn(name: str) -> bool:
    """Whether a file of that name is a torn tail that was cut from a part of the log."""
    return _TORN.fullmatch(name) is not None


def epochs_of(names: Collection[str]) -> list[int]:
    """The epochs that have a file, in order."""
    return sorted(int(found[1]) for name in names if (found := _NAMED.fullmatch(name)))


def has_begun(names: Collection[str]) -> bool:
    """Whether each file of the log must have a record."""
    return BASELINE in names or "1.jsonl" in names


def incomplete(names: Collection[str], size_of: Callable[[str], int | None]) -> str | None:
    """Which file is missing, or empty though it had begun, in words; None when all are there.

    ``size_of`` gives a file's bytes by its name, None when nobody can say.
    """
    found = epochs_of(names)
    if not found:
        return f"{LOG} is missing, and {BASELINE} is there" if BASELINE in names else None
    for wanted, epoch in enumerate(found):
        if wanted != epoch:
            return f"{wanted}.jsonl is missing, and {epoch}.jsonl is there"
    empty = (each for each in found if has_begun(names) and size_of(f"{each}.jsonl") == 0)
    return next((f"{epoch}.jsonl is empty, and had begun" for epoch in empty), None)
