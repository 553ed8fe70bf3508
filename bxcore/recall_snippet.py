"""The part of a long text around the words that were looked for (spec 4.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence

WORDS = 48
"""Words of a part."""
ELLIPSIS = "…"
_WORD = re.compile(r"\w+")
_STEM = 4
"""Letters by which a word and its other forms are taken for the same, at the least."""


def around(text: str, terms: Sequence[str]) -> str:
    """At most 48 words in a row, those that hold most of the terms; the first such part."""
    words = list(_WORD.finditer(text))
    if len(words) <= WORDS:
        return text
    stems = tuple({_stem(term) for term in terms})
    found = [word[0].lower().startswith(stems) if stems else False for word in words]
    start = _best(found)
    end = start + WORDS
    first = f"{ELLIPSIS} " if start else ""
    last = f" {ELLIPSIS}" if end < len(words) else ""
    stop = len(text) if end >= len(words) else words[end - 1].end()
    return f"{first}{text[words[start].start() if start else 0 : stop]}{last}"


def _best(found: Sequence[bool]) -> int:
    """Where the part begins; a little before its first word, so that it reads well."""
    here = sum(found[:WORDS])
    best, start = here, 0
    for place in range(1, len(found) - WORDS + 1):
        here += found[place + WORDS - 1] - found[place - 1]
        if here > best:
            best, start = here, place
    if start:
        first = next((place for place in range(start, start + WORDS) if found[place]), start)
        start = max(0, min(first - WORDS // 4, len(found) - WORDS))
    return start


def _stem(term: str) -> str:
    return term.lower()[: max(_STEM, len(term) - 3)]
