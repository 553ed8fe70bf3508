"""The arguments of ``recall`` (spec 1.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from bxcore.args.errors import ArgsError
from bxcore.args.shape import Kind

RECALL = "recall"
MAX_QUERY = 500
"""Characters of a query."""
MAX_K = 10
DEFAULT_K = 5


@dataclass(frozen=True, slots=True)
class RecallArgs:
    """What to look for among past turns and notes, and how many items at most."""

    TOOL: ClassVar[str] = RECALL
    SHAPE: ClassVar[Mapping[str, Kind]] = {"query": Kind.TEXT, "k": Kind.WHOLE}

    query: str
    k: int = DEFAULT_K

    def check(self) -> None:
        """Raise ``ArgsError`` with the first fault: the query, then k."""
        if not self.query.strip():
            raise ArgsError("query is empty; write the words to look for")
        if len(self.query) > MAX_QUERY:
            raise ArgsError(
                f"query has {len(self.query)} characters, over the limit of {MAX_QUERY}; look for fewer words"
            )
        if not 1 <= self.k <= MAX_K:
            raise ArgsError(f"k is out of range; write a whole number from 1 to {MAX_K}")
