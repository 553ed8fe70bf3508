"""When two texts look the same: in one case, one normal form, without what cannot be seen (spec 4.2).

This is the compatibility caseless match of the Unicode standard (D146), but that a dot over an i counts
for nothing, so that a Turkish capital is the i that others write. Each character is decomposed for itself
and each run of marks sorted: the whole is nearly linear in time for any text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from bxcore.sanitize.characters import INVISIBLE

_SPACE = re.compile(r"\s+")
_LINE_SEPARATORS = "\u2028\u2029"
_DOTTED = re.compile("i\u0307+")
LAST_MARK = 0x1F000
"""No character from here on is a mark that another may change places with."""
FEW = 64
"""Kinds of characters that are replaced each for itself."""
_TAIL = 8
"""Characters before a match's end that the next one may be a part of: a letter and its marks."""
_WRITTEN = re.compile(
    rb"\\+u(d[89ab][0-9a-f]{2})\\+u(d[c-f][0-9a-f]{2})|\\+u([0-9a-f]{4})|((?:[\xc2-\xf4][\x80-\xbf]+)+)"
)
"""What of a file's bytes in lower case is a character beyond ASCII: two escapes, one, or UTF-8."""


class _Decomposed(dict[int, str]):
    """What ``str.translate`` asks for each character; it remembers, but not without an end."""

    MOST = 20_000

    def __missing__(self, code: int) -> str:
        if len(self) >= self.MOST:
            self.clear()
        character = chr(code)
        unseen = character not in _LINE_SEPARATORS and _invisible().match(character)
        self[code] = "" if unseen else unicodedata.normalize("NFKD", character)
        return self[code]


@cache
def _invisible() -> re.Pattern[str]:
    return re.compile(f"[{INVISIBLE}]")


@cache
def _marks() -> re.Pattern[str]:
    every = (chr(code) for code in range(0x300, LAST_MARK) if unicodedata.combining(chr(code)))
    return re.compile(f"[{''.join(every)}]{{2,}}")


_DECOMPOSED = _Decomposed()


def fold(text: str) -> str:
    """A text as it is compared: its words parted by single spaces, and none around it."""
    if text.isascii():
        return _SPACE.sub(" ", text).strip().casefold()
    apart = _marks().sub(_in_order, _decomposed(text)).casefold()
    return _SPACE.sub(" ", _DOTTED.sub("i", apart)).strip()


def _decomposed(text: str) -> str:
    """A few kinds of characters in a long text are replaced quicker one kind after the other."""
    changed = [each for each in set(text) if not each.isascii() and _DECOMPOSED[ord(each)] != each]
    if len(changed) > FEW:
        return text.translate(_DECOMPOSED)
    for each in changed:
        text = text.replace(each, _DECOMPOSED[ord(each)])
    return text


def _in_order(marks: re.Match[str]) -> str:
    return "".join(sorted(marks[0], key=unicodedata.combining))


def stands_in(piece: str, text: str) -> bool:
    """Whether ``piece`` stands in ``text``, both folded, and ends where a letter ends: no cafe in café."""
    at = text.find(piece)
    while at >= 0:
        end = at + len(piece)
        if end == len(text) or text[end].isascii() or not _is_part(piece[-_TAIL:], text[end]):
            return True
        at = text.find(piece, at + 1)
    return False


def _is_part(tail: str, character: str) -> bool:
    composed = unicodedata.normalize("NFC", tail)
    return len(unicodedata.normalize("NFC", tail + character)) <= len(composed)


def ascii_of(data: bytes) -> bytes:
    """The letters of ASCII that a file's bytes in lower case may stand for, without all others."""
    return _WRITTEN.sub(_plain, data)


def _plain(found: re.Match[bytes]) -> bytes:
    high, low, single, plain = found.groups()
    if plain:
        return _ascii(plain.decode("utf-8", "ignore"))
    if single:
        return _ascii_of_one(int(single, 16))
    return _ascii_of_one(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)


@lru_cache(maxsize=10_000)
def _ascii_of_one(code: int) -> bytes:
    return _ascii(chr(code))


def _ascii(text: str) -> bytes:
    return text.translate(_DECOMPOSED).casefold().encode("ascii", "ignore")
