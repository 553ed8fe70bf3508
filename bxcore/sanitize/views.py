"""The ways in which a text is read when secrets are looked for: as it is, laid out anew, decoded (spec 1.7).

A view is a whole text in ASCII, so a token that stands in any of them is found by the same patterns. Each
view takes time in step with the text's length, and their number is bounded: encodings are read two deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from bxcore.sanitize.decoding import decoded
from bxcore.sanitize.escapes import unescaped, unquoted_printable
from bxcore.sanitize.folding import folded
from bxcore.sanitize.lookalikes import letters
from bxcore.sanitize.tokens import GUARDED

DEEPEST = 2
"""Encodings inside each other that are read, such as base64 of base64."""

_LINE_STARTS = " \t\r\v\f\"'`+,;>|#*"
_LINE_ENDS = _LINE_STARTS + "\\"
"""What stands around the line break where a program or a mail splits a long text."""
_WHITE = " \t\n\r\v\f\x1c\x1d\x1e\x1f"
_NO_WHITE = str.maketrans("", "", _WHITE)
_NO_SIGNS = str.maketrans("", "", _WHITE + "\"'`+,\\")


@dataclass(frozen=True, slots=True)
class View:
    """``loose``: words that stood apart are joined in it, so a token must look like one in itself."""

    text: str
    loose: bool = False


def views(text: str) -> Iterator[View]:
    """Each view of a text of at most ``LONGEST`` characters, the cheapest first."""
    plain = folded(text)
    alike = letters(plain)
    seen = dict.fromkeys((_ascii(text), _ascii(plain), alike))
    for each in seen:
        yield View(each)
    yield from _laid_out(alike)
    yield from _deeper(alike, DEEPEST)


def _ascii(text: str) -> str:
    return text if text.isascii() else text.encode("ascii", "replace").decode("ascii")


def _laid_out(text: str) -> Iterator[View]:
    """The text with its lines or strings joined, without white space or signs, and backwards."""
    strings = _strings_joined(text)
    if strings is not text:
        yield View(strings, loose=True)
    lines = _joined(strings)
    if lines is not strings:
        yield View(lines, loose=strings is not text)
    close = _close(lines)
    yield View(close, loose=True)
    bare = _before_a_token().sub("?", text).translate(_NO_SIGNS)
    if bare != close:
        yield View(bare, loose=True)
    yield View(_spelled_out(text))
    yield View(text[::-1])
    yield View(close[::-1], loose=True)


def joined_without_white(text: str) -> str:
    """The text as encodings are looked for in it: strings and lines joined, no white space."""
    return _joined(_strings_joined(text)).translate(_NO_WHITE)


def _close(text: str) -> str:
    """Without white space, but with a sign in place of what stands before a token that needs one there."""
    return _before_a_token().sub("?", text).translate(_NO_WHITE)


@cache
def _before_a_token() -> re.Pattern[str]:
    return re.compile(r"\s(?=[sr]k|gl[a-z]|AB)")


def _spelled_out(text: str) -> str:
    """What is spelled with one sign after each letter, such as ``g h p _``, without the signs.

    Each stands there a second time without its first letter, which may be the last of the word before.
    """
    found: list[str] = []
    last = -1
    for match in _spelled().finditer(text):
        if match.start() != last:
            found.append("\n")
        found.append(match[0][::2])
        last = match.end()
    return "".join((*found, *(f"\n{run[1:]}" for run in found)))


@cache
def _spelled() -> re.Pattern[str]:
    """A part of what is spelled; the whole may be many parts, for a group that repeats long is slow."""
    return re.compile(r"(?:[!-~][ \t.,|/*-]){15,200}(?:[!-~](?![ \t.,|/*-]))?")


def _joined(text: str) -> str:
    """Lines without one between them as one, with a sign before each that begins with a guarded token."""
    if "\n" not in text:
        return text
    lines = [line.rstrip(_LINE_ENDS).lstrip(_LINE_STARTS) for line in text.split("\n")]
    return "".join([f"?{line}" if line.startswith(GUARDED) else line or "\n" for line in lines])


def _strings_joined(text: str) -> str:
    """``"ab" + "cd"`` and ``'ab', 'cd'`` as one string."""
    if '"' not in text and "'" not in text and "`" not in text:
        return text
    return _between_strings().sub("", text)


@cache
def _between_strings() -> re.Pattern[str]:
    return re.compile(r"[\"'`]\s{0,40}[+,.&\\]?\s{0,40}[\"'`]")


def _deeper(text: str, depth: int) -> Iterator[View]:
    """What the text says when its escapes are read, and its encodings, and what these say, ``depth`` deep.

    No escape holds a letter of base64, so the encodings are read behind the escapes alone.
    """
    yield View(unquoted_printable(text))
    strings = _strings_joined(text)
    lines = _joined(strings)
    for each in _unescaped(text):
        text = each
        yield View(text)
    for each in _unescaped(lines):
        lines = each
        yield View(lines, loose=strings is not text)
        yield View(_close(lines), loose=True)
        yield View(_spelled_out(lines))
    close = lines.translate(_NO_WHITE)
    for found in (*decoded(text), *(decoded(close) if close != text else ())):
        yield View(found)
        if depth > 1:
            yield from _deeper(found, depth - 1)


def _unescaped(text: str) -> Iterator[str]:
    """The text with its escapes read once, and twice; nothing when it has none."""
    for _ in range(DEEPEST):
        before, text = text, unescaped(text)
        if text == before:
            return
        yield text
