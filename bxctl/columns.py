"""How many columns a text takes on a terminal, and texts broken to that width."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterator

from bxctl.printing import visible

WIDEST = 100
NARROWEST = 40
_WIDE = frozenset({"W", "F", "A"})
"""Unicode's widths of characters that take two columns, or do on some terminals."""


def columns() -> int:
    """The terminal's columns, from ``NARROWEST`` to ``WIDEST``, which is what no terminal has."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns))


def width(text: str) -> int:
    """Columns of a text; a character whose width is not certain counts as a wide one."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def broken(line: str, most: int) -> Iterator[str]:
    """Pieces of at most ``most`` columns, which together are the line."""
    start = used = 0
    for place, character in enumerate(line):
        more = _width(character)
        if used + more > most:
            yield line[start:place]
            start, used = place, 0
        used += more
    yield line[start:]


def wrapped(text: str, *, first: str) -> str:
    """A text behind ``first``, each line broken between words, where it can be, and indented below the first.

    Control characters are made visible before anything is measured.
    """
    indent = width(first)
    lines = [
        part
        for line in visible(text).expandtabs(4).split("\n")
        for part in _wrapped(line, columns() - indent)
    ]
    heads = (first, *(" " * indent for _ in lines[1:]))
    return "\n".join(f"{head}{line}".rstrip() for head, line in zip(heads, lines, strict=True))


def _wrapped(line: str, most: int) -> Iterator[str]:
    held: str | None = None
    for word in line.split(" "):
        longer = word if held is None else f"{held} {word}"
        if width(longer) <= most:
            held = longer
            continue
        if held is not None and held.strip():
            yield held
        *full, held = broken(word, most)
        yield from full
    yield held or ""
