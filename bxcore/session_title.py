"""A session's title: its first message, as a listing can show it (spec 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from bxcore.records import Record, User
from bxcore.sanitize import one_line, redact

MOST = 60
"""Characters of a title."""
_READ = 4_096
"""Characters of the message that are looked at: more are never shown."""


def title_of(records: Sequence[Record]) -> str:
    """The first message on one line, at most 60 characters, secrets redacted; empty when there is none."""
    first = next((record.text for record in records if isinstance(record, User)), "")
    line = one_line(" ".join(redact(first[:_READ]).split()), _READ)
    return line if len(line) <= MOST else f"{line[: MOST - 1]}…"
