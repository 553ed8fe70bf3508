"""What a person sees of the call that they are asked about: exact, on one line, nothing hidden."""

from __future__ import annotations

import unicodedata

from bxcore.sanitize import redact
from bxcore.sanitize.characters import INVISIBLE, one_of

HEAD = 1000
TAIL = 500
"""Characters of a long call that are shown of its beginning and of its end."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's categories of what has no shape of its own."""


def shown(tool: str, canonical: str) -> str:
    r"""The tool and its canonical arguments, secrets redacted, every invisible character as ``\u{200b}``.

    Of more than 1,500 characters the length, the head and the tail; the sentence between them stands on a
    line of its own, which no argument can write.
    """
    text = redact(f"{tool} {canonical}")
    left_out = len(text) - HEAD - TAIL
    if left_out <= 0:
        return visible(text)
    cut = f"\n… {left_out} of {len(text)} characters are not shown here …\n"
    return visible(text[:HEAD]) + cut + visible(text[-TAIL:])


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
