"""What is wrong with a text that is no TOML, in plain words. No value is shown: it may be a secret."""

from __future__ import annotations

import re

_KEY = re.compile(r"\s*([A-Za-z0-9_-]{1,40})\s*=")
_UNCLOSED = ("Illegal character '\\n'", "Unterminated string", 'Expected "\'"')
_ESCAPES = ("Unescaped '\\'", "Invalid hex value")
_TABLE_TWICE = re.compile(r"Cannot declare \((.{1,200})\) twice")
_BARE = re.compile(r"[^\W\d]|[/~*.]")


def plainly(told: str, text: str, line: int, column: int | None) -> str | None:
    """Say it in words that name the key, None where the parser's own do; ``line`` and ``column`` from 1.

    ``told`` is the parser's message without the place; ``column`` is None at the end of the text.

    >>> plainly("Invalid value", "mode = auto", 1, 8)
    'mode has a value without quotes; put it in quotes'
    """
    if text.startswith("\ufeff"):
        return "it begins with a byte order mark; save it as UTF-8 without one"
    written = [*text.split("\n"), ""][line - 1]
    found = _KEY.match(written)
    key = found[1] if found else None
    if told == "Invalid value":
        return _value(key, written[column - 1 :] if column else "")
    return _text(key, told) or _twice(key, told)


def _text(key: str | None, told: str) -> str | None:
    if told.startswith(_UNCLOSED):
        return f"{key or 'a text'} has a quote that is not closed; close it on the same line"
    if told.startswith(_ESCAPES):
        return f"{key or 'a text'} has a backslash, which begins an escape; write two, or single quotes"
    return None


def _twice(key: str | None, told: str) -> str | None:
    if told == "Cannot overwrite a value" and key is not None:
        return f"the key {key} stands here a second time; write it once"
    table = _TABLE_TWICE.match(told)
    if table is None:
        return None
    name = ".".join(re.findall(r"'([A-Za-z0-9_-]{1,40})'", table[1]))
    return f"the table {name} begins a second time; put its keys together"


def _value(key: str | None, rest: str) -> str | None:
    """What stands where a value should."""
    word = re.match(r"[A-Za-z]*", rest)
    if word is not None and word[0].lower() in {"true", "false", "yes", "no", "on", "off"}:
        return f"{key or 'a key'} takes true or false, in small letters and without quotes"
    if _BARE.match(rest):
        return f"{key or 'a list'} has a value without quotes; put it in quotes"
    if not rest.strip() or rest.startswith("#"):
        return f"{key or 'a key'} has no value; write one behind the ="
    return None
