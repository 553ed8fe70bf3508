"""Memory files of other agents as entries: parts between ``§``, list items, or paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent

SEPARATOR = "§"
_ITEM = re.compile(r"[-*+] +|[0-9]{1,4}[.)] +")
_HEADING = re.compile(r"#{1,6} ")
_FENCE = re.compile(r"-{3,}|\*{3,}|={3,}")


def entries(text: str) -> tuple[str, ...]:
    """Each entry once, in their order. Headings are left out; a nested item stays with its parent."""
    lines = dedent(text.replace("\r\n", "\n")).split("\n")
    parted = any(line.strip() == SEPARATOR for line in lines)
    found = _between(lines) if parted else _items(lines)
    cleaned = ("\n".join(each).strip() for each in found)
    return tuple(dict.fromkeys(each for each in cleaned if each))


def _between(lines: list[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for line in lines:
        if line.strip() == SEPARATOR:
            yield part
            part = []
        else:
            part.append(line)
    yield part


def _items(lines: list[str]) -> Iterator[list[str]]:
    """A list item begins an entry, a blank line or a heading ends one; an indented line goes on."""
    part: list[str] = []
    for line in lines:
        item = _ITEM.match(line)
        if item is not None or not line.strip() or _HEADING.match(line) or _FENCE.fullmatch(line.strip()):
            yield part
            part = [line[item.end() :]] if item is not None else []
        else:
            part.append(line.strip() if part else line)
    yield part
