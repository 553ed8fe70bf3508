"""What of a question is looked up, and how hits are put in order (spec 4.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol, TypeVar

MAX_TERMS = 64
RECENCY = 0.25
"""How much better the newest item counts than the oldest one of the same relevance: a quarter."""

_WORD = re.compile(r"[^\W_]+")
STOP_WORDS = frozenset(
    # As a text, since a list would be a word a line.
    """
    a about after all also am an and any are as at be because been before being but by can could did
    do does doing don for from had has have having he her here him his how i if in into is it its
    just ll me more my no not now of on once only or other our out over re s she should so some such
    t than that the their them then there these they this those through to too up us ve very was we
    were what when where which while who whom why will with would you your
    """.split()  # noqa: SIM905
)
"""English words that say nothing of what is meant; a question of nothing else is looked up as it is."""


class Ranked(Protocol):
    """A hit as the index gives it: ``score`` is BM25, the higher the better, ``place`` its age."""

    @property
    def score(self) -> float:
        """The relevance, BM25: positive, the higher the better."""

    @property
    def place(self) -> int:
        """The row's number: newer items have higher ones."""


R = TypeVar("R", bound=Ranked)


def terms(query: str) -> tuple[str, ...]:
    """The words to look for, each once, lower case: punctuation and stop words dropped, at most 64."""
    words = tuple(dict.fromkeys(word.lower() for word in _WORD.findall(query)))
    telling = tuple(word for word in words if word not in STOP_WORDS)
    return (telling or words)[:MAX_TERMS]


def tells(query: str) -> bool:
    """Whether a word of it says what is meant."""
    return any(word.lower() not in STOP_WORDS for word in _WORD.findall(query))


def match_expression(query: str) -> str | None:
    """The FTS5 expression that finds any of the words, or None when the query has no word at all."""
    return " OR ".join(f'"{word}"' for word in terms(query)) or None


def balanced(hits: Iterable[R], newest: int) -> list[R]:
    """The hits, best first: relevance, raised by up to a quarter for the newest (``newest`` is its place)."""
    return sorted(hits, key=lambda hit: -hit.score * (1.0 + RECENCY * hit.place / max(newest, 1)))
