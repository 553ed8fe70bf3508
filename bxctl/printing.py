"""What people see: data on stdout, talk on stderr, colour on a terminal only (spec 6.3)."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

_BAD = {code: f"\\x{code:02x}" for code in [*range(32), *range(127, 160)] if chr(code) not in "\n\t"}
_BAD |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_BAD |= {code: f"\\u{code:04x}" for code in [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F]}
_ASCII = 126
_BAD_IN_JSON = {code: f"\\u{code:04x}" for code in _BAD if code > _ASCII}
_STDERR = 2
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def visible(text: str) -> str:
    """Show control characters and direction marks instead of obeying them: a reply may hold anything."""
    return text.translate(_BAD)


def data(text: str) -> None:
    """Print data for people."""
    print(visible(text))


def as_json(value: object) -> None:
    """Print data for programs, one JSON value a line; what steers a terminal is escaped in its strings."""
    plain = not _takes_unicode(sys.stdout)
    print(json.dumps(value, ensure_ascii=plain).translate(_BAD_IN_JSON))


def talk(text: str) -> None:
    """Say something that is no data."""
    print(visible(text), file=sys.stderr, flush=True)


def talk_at_once(text: str) -> None:
    """Say something from a signal's handler: the streams may be in the middle of something else."""
    with contextlib.suppress(OSError):  # nobody listens
        os.write(_STDERR, f"{visible(text)}\n".encode("utf-8", "replace"))


def paint(text: str, colour: str, stream: TextIO) -> str:
    """Colour a text when ``stream`` is a terminal that can, and ``$NO_COLOR`` is not set (or empty)."""
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\033[{_COLOURS[colour]}m{text}\033[0m"


_COLOURS = {"red": "31", "green": "32", "yellow": "33", "dim": "2", "bold": "1"}


def table(rows: Iterable[Sequence[str]], head: Sequence[str]) -> str:
    """Lay rows out in columns; the last column is not padded."""
    every = [list(head), *(list(map(str, row)) for row in rows)]
    widths = [max(len(row[column]) for row in every) for column in range(len(head))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in every)
    return "\n".join(line.rstrip() for line in lines)


def age(seconds: float | None) -> str:
    """Write a stretch of time the way people say it: ``42 s``, ``3 min``, ``5 h``, ``2 d``."""
    if seconds is None:
        return "-"
    for unit_s, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= unit_s:
            return f"{int(seconds // unit_s)} {name}"
    return f"{seconds:.0f} s"


def _takes_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("-", "") == "utf8"
