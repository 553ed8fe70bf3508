"""The words of a question that are worth looking for, and the full-text query that finds any of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_TERMS = 64
"""Different words of one question that are looked for; a longer one is cut, never refused."""

_WORD = re.compile(r"[^\W_]+")

_SMALL_WORDS = """
a about an and any are as at be been but by can could d did do does don for from had has have he her him
his how i if in is it its ll m me my of on or our re s shall she should so some t than that the their them
then there these they this those to up us ve was we were what when where which who whom whose why will
with would you your
please tell ask memory remember know
"""
STOP_WORDS = frozenset(_SMALL_WORDS.split())
"""Words that say nothing about what is asked, those that a question to a memory is wrapped in among them."""


def words(text: str) -> list[str]:
    """Split a text into its words, in lower case; punctuation and ``_`` part them."""
    return [word.lower() for word in _WORD.findall(text)]


def terms(text: str) -> tuple[str, ...]:
    """Pick the words to look for, each once, in their order; of nothing but stop words all are kept."""
    every = dict.fromkeys(words(text))
    worth = [word for word in every if word not in STOP_WORDS] or list(every)
    return tuple(worth[:MAX_TERMS])


def any_of(wanted: Iterable[str], *, column: str | None = None) -> str:
    """Write an FTS5 query for rows with any of the words; each is quoted, so none can be an operator."""
    query = " OR ".join(f'"{word}"' for word in wanted)
    return query if column is None else f"{{{column}}} : ({query})"
