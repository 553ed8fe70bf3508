"""JSON as models miswrite it: a trailing comma, a missing bracket, Python's quotes and names."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

MAX_TEXT = 65_536
"""Characters; a longer text is not mended."""


def read_object(text: str) -> dict[str, Any] | None:
    """The object that the text stands for, or None when that is not plain to see."""
    if len(text) > MAX_TEXT:
        return None
    for read in (_as_it_is, _mended, _as_python):
        value = read(text.strip())
        if isinstance(value, str):  # encoded twice
            value = _as_it_is(value)
        if isinstance(value, dict):
            return value
    return None


def _as_it_is(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _mended(text: str) -> Any:
    kept, closers = _outside_strings(text)
    return _as_it_is(kept + closers)


def _outside_strings(text: str) -> tuple[str, str]:
    """The text without commas before a closing bracket, and the closers that it lacks."""
    kept: list[str] = []
    closers: list[str] = []
    quoted = escaped = False
    for char in text:
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "{[":
            closers.append("}" if char == "{" else "]")
        elif char in "}]":
            _drop_comma(kept)
            if closers:
                closers.pop()
        kept.append(char)
    if quoted:
        closers.append('"')
    else:
        _drop_comma(kept)
    return "".join(kept), "".join(reversed(closers))


def _drop_comma(kept: list[str]) -> None:
    while kept and kept[-1].isspace():
        kept.pop()
    if kept and kept[-1] == ",":
        kept.pop()


_NAMES = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b""", re.DOTALL)
_PYTHON = {"true": "True", "false": "False", "null": "None"}


def _python_name(found: re.Match[str]) -> str:
    """A string stays as it is."""
    return _PYTHON.get(found.group(), found.group())


def _as_python(text: str) -> Any:
    """A literal with Python's quotes or names; JSON's own names may be mixed in."""
    if not text.startswith("{") or not text.endswith("}"):
        return None
    try:
        value = ast.literal_eval(_NAMES.sub(_python_name, text))
        return json.loads(json.dumps(value, allow_nan=False))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
