"""The ways in which a text is read when secrets are looked for: as written, joined, decoded (spec 1.7).

A view is a whole text, so a token that stands in any of them is found by the same patterns. Each view takes
time in step with the text's length.
"""

from __future__ import annotations

import binascii
import re
import sys
from collections.abc import Iterator
from functools import cache

from bxcore.sanitize.folding import folded

LONGEST = 2_000_000
"""Characters of the longest text that is read at all."""

_LINE_ENDS = " \t\r\"'+,;\\>|"
"""What stands around the line break where a program or a mail splits a long text."""
_NAMED = {
    "amp": "&",
    "lt": "<",
    "gt": ">",
    "quot": '"',
    "apos": "'",
    "lowbar": "_",
    "hyphen": "-",
    "sol": "/",
}
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "/": "/"}


def views(text: str) -> Iterator[str]:
    """Each view of a text of at most ``LONGEST`` characters, the cheapest first; none twice in a row."""
    yield text
    plain = folded(text)
    if plain != text:
        yield plain
    joined = "".join(line.strip(_LINE_ENDS) for line in plain.split("\n")) if "\n" in plain else plain
    if joined is not plain:
        yield joined
    for mark, decode in (("%", _percent), ("\\", _escapes), ("&", _entities)):
        if mark in joined:
            yield decode(joined)
    yield from _base64(joined)
    yield from _hex(joined)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.ASCII)


def _percent(text: str) -> str:
    return _pattern("%([0-9A-Fa-f]{2})").sub(lambda match: chr(int(match[1], 16)), text)


def _escapes(text: str) -> str:
    r"""``\uXXXX``, ``\xXX`` and ``\n`` as a string's literal writes them."""
    escape = _pattern(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([nrt/]))")
    return escape.sub(
        lambda match: _ESCAPED[match[3]] if match[3] else chr(int(match[1] or match[2], 16)), text
    )


def _entities(text: str) -> str:
    """HTML's numbered entities, and the named ones that a token may be written with."""
    return _pattern(r"&(?:#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([a-z]{2,6}));?").sub(_entity, text)


def _entity(match: re.Match[str]) -> str:
    if match[3]:
        return _NAMED.get(match[3], match[0])
    code = int(match[1]) if match[1] else int(match[2], 16)
    return chr(code) if code <= sys.maxunicode else match[0]


def _base64(text: str) -> Iterator[str]:
    """Every long run of base64's letters (both alphabets), decoded from each of its four first places."""
    run = _pattern(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{24,{LONGEST}}}+")
    runs = [match[0].translate(_STANDARD) for match in run.finditer(text)]
    for start in range(4) if runs else ():
        yield "\n".join(_decoded(each[start:]) for each in runs)


_STANDARD = str.maketrans("-_", "+/")


def _decoded(run: str) -> str:
    """The bytes as characters; one letter too many at the end is left out, and missing padding is made up."""
    whole = run[:-1] if len(run) % 4 == 1 else run
    return binascii.a2b_base64(whole + "=" * (-len(whole) % 4)).decode("latin-1")


def _hex(text: str) -> Iterator[str]:
    run = _pattern(rf"(?<![0-9A-Fa-f])[0-9A-Fa-f]{{40,{LONGEST}}}+")
    runs = [match[0] for match in run.finditer(text)]
    for start in range(2) if runs else ():
        whole = (each[start : start + (len(each) - start) // 2 * 2] for each in runs)
        yield "\n".join(binascii.unhexlify(each).decode("latin-1") for each in whole)
