"""A stranger's text on one line, for an answer that has lines of its own (spec 1.7)."""

from __future__ import annotations

from bxcore.sanitize.characters import one_of
from bxcore.sanitize.tags import neutralise

SNIPPET = 600
"""Characters of a snippet."""

_LINE_BREAKING = "\x00-\x1f\x7f-\x9f\u2028\u2029"


def one_line(text: str, cap: int) -> str:
    """``neutralise``, a space for each control character and separator, then the first ``cap`` characters."""
    return one_of(_LINE_BREAKING).sub(" ", neutralise(text))[:cap]


def snippet(text: str) -> str:
    """The text on one line, at most 600 characters."""
    return one_line(text, SNIPPET)
