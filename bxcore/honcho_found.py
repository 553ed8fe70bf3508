"""What is kept of a message that a search of Honcho found: a server may send anything, of any size (4.3)."""

from __future__ import annotations

from bxcore.honcho_text import sendable
from bxcore.messages.honcho_search import FoundMessage

MOST = 100
"""Messages that one search may ask for; Honcho answers 422 to more."""
MAX_CONTENT = 2_000
"""Characters of a message that are kept; recall shows fewer."""
MAX_PEER = 512
"""Characters of a peer's name, as many as Honcho takes."""
MAX_AT = 40
"""Characters of a time."""
MAX_KEYS = 20
"""Entries of metadata that are kept."""
MAX_VALUE = 200
"""Characters of a key or a value of metadata; an entry with more is left out, as half of it says nothing."""


def capped(found: FoundMessage) -> FoundMessage:
    """Cut the message to what memory looks at: of its metadata, plain values that are short."""
    plain = ((key, value) for key, value in found.metadata.items() if _is_plain(key, value))
    return FoundMessage(
        peer=sendable(found.peer[:MAX_PEER]),
        content=sendable(found.content[:MAX_CONTENT]),
        at=sendable(found.at[:MAX_AT]),
        metadata=dict(entry for entry, _ in zip(plain, range(MAX_KEYS), strict=False)),
    )


def _is_plain(key: str, value: object) -> bool:
    if not isinstance(value, str | int | float | bool):
        return False
    return len(key) <= MAX_VALUE and (not isinstance(value, str) or len(value) <= MAX_VALUE)
