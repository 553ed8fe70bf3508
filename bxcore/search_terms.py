"""The words of a question put to a memory, and the full-text query for any of them in some columns."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bxcore import recall_query

WRAPPING = frozenset(("answer", "ask", "know", "memory", "please", "question", "recall", "remember", "tell"))
"""Words that a question to a memory is wrapped in, beside the stop words."""

STOP_WORDS = recall_query.STOP_WORDS | WRAPPING

_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Split a text into its words, in lower case; punctuation and ``_`` part them."""
    return [word.lower() for word in _WORD.findall(text)]


def terms(question: str) -> tuple[str, ...]:
    """Pick the words to look for, each once, in their order; of nothing but wrapping all are kept."""
    telling = recall_query.terms(question)
    return tuple(word for word in telling if word not in WRAPPING) or telling


def any_of(wanted: Iterable[str], *, columns: str) -> str:
    """Write an FTS5 query for rows with any word in ``columns``; each is quoted, so none is an operator."""
    return f"{{{columns}}} : (" + " OR ".join(f'"{word}"' for word in wanted) + ")"
