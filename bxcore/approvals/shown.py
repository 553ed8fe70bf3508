"""What a person sees of the call that they are asked about: exact, on one line, nothing hidden."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from bxcore.sanitize import redact
from bxcore.sanitize.characters import INVISIBLE, one_of

HEAD = 1000
TAIL = 500
"""Characters of a long call that are shown of its beginning and of its end."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's categories of what has no shape of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A call as a person sees it first, and the whole of it on one line; ``hidden`` characters are not in it.

    Both are escaped and redacted. Without hidden ones they are the same text.
    """

    text: str
    whole: str
    hidden: int


def shown(tool: str, canonical: str) -> Shown:
    r"""The tool and its canonical arguments, secrets redacted, every invisible character as ``\u{200b}``.

    Of more than 1,500 characters the text has the length, the head and the tail; the sentence between them
    stands on a line of its own, which no argument can write. The whole is as long as the arguments may be.
    """
    call = redact(f"{tool} {canonical}")
    whole = visible(call)
    hidden = max(0, len(call) - HEAD - TAIL)
    if not hidden:
        return Shown(text=whole, whole=whole, hidden=0)
    cut = f"\n… {hidden} of {len(call)} characters are not shown here …\n"
    return Shown(text=visible(call[:HEAD]) + cut + visible(call[-TAIL:]), whole=whole, hidden=hidden)


def visible(text: str) -> str:
    r"""The text with each control, invisible or unusual space character as ``\u{…}``; on one line."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character == " " or (character.isascii() and character.isprintable()):
        return character
    category = unicodedata.category(character)
    if category in _HIDDEN or category == "Zs" or one_of(INVISIBLE).match(character):
        return f"\\u{{{ord(character):x}}}"
    return character
