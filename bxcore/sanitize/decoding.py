"""Texts in which bytes are written as letters: base64, base32 and hexadecimal, from any first place.

A run of such letters may begin before what was encoded, so it is decoded at every offset that makes a
difference. Of the bytes only what could be text is kept: a token is all printable. No run grows when it is
decoded, so all of it takes time in step with the text (spec 1.7).
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from bxcore.sanitize.limits import LONGEST

SHORTEST = 20
"""Bytes of a token, or of a piece of one, that could be told from chance."""

_STANDARD = str.maketrans("-_", "+/")
_DIGITS_32 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567abcdefghijklmnopqrstuvwxyz",
    "0123456789abcdefghijklmnopqrstuv0123456789abcdefghijklmnop",
)
_BITS_32 = 5


def decoded(text: str) -> Iterator[str]:
    """What the text's runs of letters say, a view an offset; ``text`` is ASCII, a line's end ends a run."""
    yield from _views(_runs(r"[A-Za-z0-9+/_-]", 27, text), 4, _base64)
    yield from _views([*_runs("[A-Z2-7]", 32, text), *_runs("[a-z2-7]", 32, text)], 8, _base32)
    yield from _views(_runs("[0-9A-Fa-f]", 40, _without_separators(text)), 2, _hex)


def _runs(letters: str, shortest: int, text: str) -> list[str]:
    return _run(letters, shortest).findall(text)


@cache
def _run(letters: str, shortest: int) -> re.Pattern[str]:
    return re.compile(f"(?<!{letters}){letters}{{{shortest},{LONGEST}}}+")


def _views(runs: list[str], offsets: int, decode: Callable[[str, int], bytes]) -> Iterator[str]:
    for offset in range(offsets) if runs else ():
        said = _printable(decode(run, offset) for run in runs)
        if said:
            yield said


def _printable(decodings: Iterable[bytes]) -> str:
    """The pieces that could be text, a line each; NUL is left out, for UTF-16 is text with NULs between."""
    every = b"\xff".join(decodings).translate(None, b"\0")
    return b"\n".join(_text_like().findall(every)).decode("ascii")


@cache
def _text_like() -> re.Pattern[bytes]:
    return re.compile(rb"[\t\n\r -~]{%d,%d}+" % (SHORTEST, LONGEST))


def _base64(run: str, offset: int) -> bytes:
    """Of either alphabet; one letter too many at the end is left out, and missing padding is made up."""
    rest = run[offset:].translate(_STANDARD)
    whole = rest[:-1] if len(rest) % 4 == 1 else rest
    return binascii.a2b_base64(whole + "=" * (-len(whole) % 4))


def _base32(run: str, offset: int) -> bytes:
    """As one number, shifted by ``offset`` bits: a letter is five, so every bit may begin a byte."""
    bits = len(run) * _BITS_32 - offset
    number = int(run.translate(_DIGITS_32), 32) & ((1 << bits) - 1)
    return (number >> bits % 8).to_bytes(bits // 8, "big")


def _hex(run: str, offset: int) -> bytes:
    return binascii.unhexlify(run[offset : offset + (len(run) - offset) // 2 * 2])


_BETWEEN = str.maketrans("", "", " \t:,;.-_|[](){}<>\"'\\`")


def _without_separators(text: str) -> str:
    r"""``67:68``, ``0x67,0x68`` and ``\x67\x68`` as ``6768``."""
    return text.replace("0x", "").replace("0X", "").replace("\\x", "").translate(_BETWEEN)
