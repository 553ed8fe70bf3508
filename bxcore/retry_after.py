"""What a server says with ``Retry-After``: how long to leave it alone (RFC 9110, section 10.2.3)."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MOST_S = 3600.0
"""No server is left alone for longer on its own word."""
_DIGITS = 9


def retry_after_s(value: str | None, now: datetime) -> float | None:
    """Seconds from ``now``, 0 to ``MOST_S``; None when it says nothing that can be read."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        return MOST_S if len(text) > _DIGITS else min(float(text), MOST_S)
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return min(max(0.0, (when - now).total_seconds()), MOST_S)
