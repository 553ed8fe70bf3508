"""A result that is too long for a model is cut in the middle, and the cut is said (spec 2.3, step 5)."""

from __future__ import annotations

MAX_RESULT = 16_000
"""Characters of a result that go back, the sentence of the cut among them."""


def cut_middle(text: str, limit: int = MAX_RESULT) -> str:
    """The text, or its beginning and end with a line between them that says how much is missing."""
    if len(text) <= limit:
        return text
    longest = _said(len(text))
    head = (limit - len(longest) + 1) // 2
    tail = limit - len(longest) - head
    return text[:head] + _said(len(text) - head - tail) + text[len(text) - tail :]


def _said(count: int) -> str:
    return f"\n[{count} characters are cut here]\n"
