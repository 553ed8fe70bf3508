"""On which line of a TOML text a key stands: for sentences about a problem, never for reading values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from bxcore.toml_mistakes import plainly

KeyPath: TypeAlias = tuple[str | int, ...]
"""A key as pydantic names it: ``("honcho", "read", 1, "class")``; a number is a place in an array."""


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The line (from 1) of the key at ``path``, else of the nearest table or key around it, else 1."""
    known = lines(text)
    wanted = tuple(path)
    return next((known[wanted[:size]] for size in range(len(wanted), 0, -1) if wanted[:size] in known), 1)


def lines(text: str) -> dict[KeyPath, int]:
    """The line of every key and table header of a text; what stands inside a value is not looked at.

    A text that is no valid TOML gives what could be made out.
    """
    found: dict[KeyPath, int] = {}
    arrays: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for statement in _statements(text):
        if statement.brackets:
            table = _table(statement, arrays)
            path = table
        else:
            path = _resolve(table, statement.keys, arrays)
        for size in range(1, len(path) + 1):
            found.setdefault(path[:size], statement.line)
    return found


def syntax_problem(error: ValueError, text: str = "") -> tuple[int, str]:
    """The line and the sentence of a ``TOMLDecodeError``, in plain words or its own without the place.

    An error at the end of the document is on the last line of ``text`` that holds anything.
    """
    message = str(error)
    at = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    told = message[: at.start()] if at else message
    line = int(at[1]) if at and at[1] else text.rstrip().count("\n") + 1
    plain = plainly(told, text, line, int(at[2]) if at and at[2] else None)
    return line, f"this is no valid TOML: {plain or told[:1].lower() + told[1:]}"


class _Token(NamedTuple):
    text: str
    line: int


class _Statement(NamedTuple):
    """``[table]`` (one bracket), ``[[array]]`` (two), or a key with a value (none)."""

    keys: tuple[str, ...]
    line: int
    brackets: int


_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|\n|[\[\]{}=]"
    r"|[A-Za-z0-9_-]+|.",
    re.DOTALL,
)
_WORD = re.compile(r"""["'A-Za-z0-9_-]""")


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    for match in _TOKEN.finditer(text):
        token = match[0]
        yield _Token(token, line)
        line += token.count("\n")


def _statements(text: str) -> Iterator[_Statement]:
    keys: list[str] = []
    line = brackets = 0
    depth: int | None = None  # brackets open in the value that is being skipped; None outside one
    for token in _tokens(text):
        if depth is not None:
            depth += (token.text in "[{") - (token.text in "]}")
            depth = None if token.text == "\n" and depth <= 0 else depth
        elif token.text == "=" or (brackets and token.text == "]"):
            yield _Statement(tuple(keys), line, brackets)
            keys, brackets, depth = [], 0, 0
        elif token.text == "\n":
            keys, brackets = [], 0
        elif token.text == "[" and not keys:
            brackets, line = brackets + 1, token.line
        elif _WORD.match(token.text):
            line = line if keys or brackets else token.line
            keys.append(_key(token.text))


def _key(token: str) -> str:
    if token.startswith('"'):
        try:
            return str(json.loads(token))
        except ValueError:
            return token.strip('"')
    return token.strip("'")


def _table(statement: _Statement, arrays: dict[KeyPath, int]) -> KeyPath:
    path = _resolve((), statement.keys[:-1], arrays) + statement.keys[-1:]
    if statement.brackets > 1:
        arrays[path] = arrays.get(path, -1) + 1
    return (*path, arrays[path]) if path in arrays else path


def _resolve(start: KeyPath, keys: Sequence[str], arrays: dict[KeyPath, int]) -> KeyPath:
    """``keys`` under ``start``, with the place of the newest element after each array of tables."""
    path = start
    for key in keys:
        path = (*path, key)
        if path in arrays:
            path = (*path, arrays[path])
    return path
