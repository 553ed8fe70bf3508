"""What a session may be called: its name is a folder's, and a phone can type it."""

from __future__ import annotations

import re

MAX = 64
_FORM = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def problem(session: str) -> str | None:
    """One sentence that says what to do when a text is no session's name, else None."""
    if _FORM.fullmatch(session):
        return None
    return (
        f"a session's name has 1 to {MAX} of a-z, 0-9, _ and -, the first a letter or digit; choose another"
    )
