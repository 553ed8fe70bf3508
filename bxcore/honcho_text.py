"""Text on its way to Honcho and back: what its server cannot take is mended first (notes on its limits)."""

from __future__ import annotations

from bxcore.records import whole

MAX_QUERY = 10_000
"""Characters of a question; one more is answered 422."""

MAX_CONTENT = 25_000
"""Characters of one message; one more is answered 422."""

MAX_BATCH = 100
"""Messages of one append; one more is answered 422."""


def sendable(text: str) -> str:
    """Text that Honcho and its database can hold: no half of a character, and no NUL."""
    return whole(text).replace("\0", "")


def query(text: str) -> str:
    """A question or search as it is sent: sendable, at most ``MAX_QUERY`` characters."""
    return sendable(text)[:MAX_QUERY]


def search_query(text: str) -> str:
    """A search as it is sent; punctuation at its end would make the server look for it literally."""
    return query(text).rstrip(" \t\n?!.,;:…")
