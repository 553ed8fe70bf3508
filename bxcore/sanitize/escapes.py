r"""Texts in which letters are written as numbers or names: ``%5F``, ``\u005f``, ``\137``, ``&#95;``, ``=5F``.

Each escape is read for itself and has a bounded length, so reading takes time in step with the text.
"""

from __future__ import annotations

import re
from functools import cache

_SAID = {"n": "\n", "r": "\r", "t": "\t"}
_ASCII = 0x80


def unescaped(text: str) -> str:
    """The text with each of its escapes read once; the text itself when it has none."""
    for mark, pattern, read in (
        ("%", r"%(?:u([0-9A-Fa-f]{4})|([0-9A-Fa-f]{2}))", _percent),
        ("&", r"&(?:#0{0,64}([0-9]{1,7})|#[xX]0{0,64}([0-9A-Fa-f]{1,6})|([A-Za-z]{2,31}));?", _entity),
        ("\\", _BACKSLASH, _escape),
    ):
        if mark in text:
            text = _compiled(pattern).sub(read, text)
    return text


def unquoted_printable(text: str) -> str:
    """The text as a mail has it that says ``=5F`` for a letter, and ``=`` where a line goes on."""
    return _compiled(r"=(?:([0-9A-F]{2})|[ \t]{0,8}\r?\n)").sub(_quoted, text) if "=" in text else text


_BACKSLASH = (
    r"\\(?:u([0-9A-Fa-f]{4})|u\{0{0,8}([0-9A-Fa-f]{1,6})\}|U00([0-9A-Fa-f]{6})|x([0-9A-Fa-f]{2})"
    r"|([0-3][0-7]{2})|([^\w\s])|([nrt]))"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


@cache
def _character(code: int) -> str:
    """What is no ASCII is in no token, so one sign stands for all of it."""
    return chr(code) if code < _ASCII else "?"


def _percent(match: re.Match[str]) -> str:
    return _character(int(match[1] or match[2], 16))


def _quoted(match: re.Match[str]) -> str:
    return _character(int(match[1], 16)) if match[1] else ""


def _escape(match: re.Match[str]) -> str:
    if match[5]:
        return _character(int(match[5], 8))
    if match[6]:
        return match[6]
    if match[7]:
        return _SAID[match[7]]
    return _character(int(match[1] or match[2] or match[3] or match[4], 16))


def _entity(match: re.Match[str]) -> str:
    if match[1]:
        return _character(int(match[1]))
    if match[2]:
        return _character(int(match[2], 16))
    return _names().get(match[3], match[0])


@cache
def _names() -> dict[str, str]:
    """Every named entity of HTML that stands for one ASCII character."""
    from html.entities import html5

    return {name.rstrip(";"): sign for name, sign in html5.items() if len(sign) == 1 and sign < "\x80"}
