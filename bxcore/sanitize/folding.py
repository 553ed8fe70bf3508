"""A text as a careless reader sees it: compatibility forms folded, invisible characters gone.

Each character is folded for itself, not the text as a whole: that is linear in time (composing a long run of
combining marks is not), and each character of the view belongs to one of the text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from bxcore.sanitize.characters import INVISIBLE

_DROPPED = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff"
"""Control characters that are no white space and no line end, and halves of surrogate pairs."""
LONGEST = 3
"""Characters that one may become. Signs that stand for whole words stay: a view must not outgrow its text."""
_LINE_SEPARATORS = "\u2028\u2029"


class _Fold(dict[int, str]):
    """What ``str.translate`` asks for each character; it remembers, but not without an end."""

    MOST = 20_000

    def __missing__(self, code: int) -> str:
        if len(self) >= self.MOST:
            self.clear()
        character = chr(code)
        folded = "" if _dropped().match(character) else unicodedata.normalize("NFKC", character)
        self[code] = folded if len(folded) <= LONGEST else character
        return self[code]


@cache
def _dropped() -> re.Pattern[str]:
    return re.compile(f"(?![{_LINE_SEPARATORS}])[{INVISIBLE}{_DROPPED}]")


_FOLD = _Fold()


def drops_any(text: str) -> bool:
    """Whether a character of the text is left out of its view."""
    return any(not _FOLD[ord(character)] for character in set(text))


def folded(text: str) -> str:
    """The view as one string; a plain ASCII text without control characters comes back as it is."""
    return text if text.isascii() and text.isprintable() else text.translate(_FOLD)


def origins(text: str) -> list[int]:
    """For each character of ``folded(text)`` the place in ``text`` of the one that it came from."""
    return [place for place, character in enumerate(text) for _ in _FOLD[ord(character)]]
