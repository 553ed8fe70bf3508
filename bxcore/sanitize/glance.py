"""A glance at a text shows, for most of what people write, that no view of it can hold a secret (spec 1.7).

It is never wrong about "no": each rule here follows from how a view is made (``views.py``, ``decoding.py``).
A text that it cannot speak for is looked through in full.

- A view keeps the order of a text's characters, or turns it round, and leaves out white space and signs only.
  So a token's beginning stands in the text without them, forwards or backwards.
- What is decoded counts with 20 printable bytes in a row. Their highest bits are 0, so of the letters that
  were decoded every few come from half the alphabet; words do not do that for long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from bxcore.sanitize.characters import holds_refused
from bxcore.sanitize.folding import folded
from bxcore.sanitize.limits import LONGEST
from bxcore.sanitize.lookalikes import letters
from bxcore.sanitize.tokens import FAMILIES
from bxcore.sanitize.views import joined_without_white

_LEFT_OUT = str.maketrans("", "", " \t\n\"'`,;>|#*.")
"""What some view leaves out. The others that are, ``+``, ``&`` and ``\\``, make a text doubtful at once."""
_ESCAPED = re.compile(r"[%&\\+]|=(?:[0-9A-F]{2}|[ \t]{0,8}\n)")
"""How a letter may be written otherwise; ``+`` is a letter of base64 and a sign between strings."""
_SPELLED = re.compile(r"[ \t.,|/*-](?:[!-~][ \t.,|/*-]){6}")
"""A part of what is spelled, which has at least 15 letters."""
_HEXADECIMAL = re.compile("[^g-wyzG-WYZ]{40}")
"""Nothing but digits of a hexadecimal number, the ``x`` of ``0x``, and signs."""
_CONTROLS = frozenset({0, 9, 10, 13})
"""Of the bytes below a space those that a decoded text may have; NUL is half of a letter in UTF-16."""


def surely_without(text: str) -> bool:
    """Whether the text is seen at a glance to hold no secret; False says nothing."""
    if len(text) > LONGEST:
        return False
    if text.isascii():
        return not _odd().search(text) and _plain(text)
    # A beginning in ASCII stays what it is in the view that reads all else as what it looks like.
    return not holds_refused(text) and _plain(letters(folded(text)))


def _plain(text: str) -> bool:
    """Whether no view holds a token's beginning, and no encoding says anything; ``text`` is ASCII."""
    if _ESCAPED.search(text) or _begins(text) or _SPELLED.search(text) or _HEXADECIMAL.search(text):
        return False
    close = joined_without_white(text)
    return not any(pattern.search(close) for pattern in _encoded())


def _begins(text: str) -> bool:
    """Whether a token could begin in a view of the text, or end in one that is turned round."""
    close = text.translate(_LEFT_OUT)
    return any(
        sign in close and any(beginning in close for beginning in beginnings)
        for sign, beginnings in _beginnings().items()
    )


@cache
def _beginnings() -> Mapping[str, tuple[str, ...]]:
    """What tokens begin with, forwards and backwards, by a character in it that is rare in plain words."""
    found: dict[str, tuple[str, ...]] = {}
    for family in FAMILIES.values():
        for anchor in family.anchors:
            close = anchor.translate(_LEFT_OUT)
            rare = min(close, key=lambda sign: (sign.isalpha(), sign.islower(), sign))
            found[rare] = tuple(dict.fromkeys((*found.get(rare, ()), close, close[::-1])))
    return found


@cache
def _odd() -> re.Pattern[str]:
    """A control character but the tab and the line's end."""
    return re.compile(r"[^\t\n -~]")


@cache
def _encoded() -> tuple[re.Pattern[str], ...]:
    """Letters that could be 20 bytes of text, in base64 and in the two cases of base32.

    Whatever the place of the first byte among the letters, 18 of 20 bytes are whole groups of three, and 16
    of them begin where a group of five does.
    """
    standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    sixty_four = (
        _letters(standard, lambda value: _begins_text(value, 2))
        + _letters(standard, lambda value: not value & 8)
        + _letters(standard, lambda value: not value & 2)
        + "[A-Za-z0-9/_-]"
    )
    return (_times(sixty_four, 6), *(_base32(case) for case in ("A-Z", "a-z")))


def _base32(case: str) -> re.Pattern[str]:
    alphabet = "".join(map(chr, range(ord(case[0]), ord(case[2]) + 1))) + "234567"
    any_ = f"[{case}2-7]"
    first = _letters(alphabet, lambda value: _begins_text(value, 3))
    second, fourth, fifth, seventh = (
        _letters(alphabet, lambda value, bit=bit: not value & bit)  # type: ignore[misc]
        for bit in (2, 8, 1, 4)
    )
    return _times(f"{first}{second}{any_}{fourth}{fifth}{any_}{seventh}{any_}", 3, first)


def _times(group: str, times: int, behind: str = "") -> re.Pattern[str]:
    """The group as often; the first is written out, since a search is quick for a pattern's first letter."""
    return re.compile(f"{group}(?:{group}){{{times - 1}}}{behind}")


def _letters(alphabet: str, fits: Callable[[int], bool]) -> str:
    return f"[{''.join(re.escape(letter) for value, letter in enumerate(alphabet) if fits(value))}]"


def _begins_text(value: int, missing: int) -> bool:
    """Whether a byte of a text may begin with these bits, of which the last ``missing`` are not known."""
    return any(
        byte in _CONTROLS or " " <= chr(byte) <= "~"
        for byte in range(value << missing, (value + 1) << missing)
    )
