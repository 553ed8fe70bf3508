"""What recall and ask_memory show: labelled items on lines of their own, and their label (spec 4.3, 4.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bxcore.labels import Label, Level, join
from bxcore.sanitize import MARK, neutralise, one_line, snippet

INDENT = "    "
_MARKED_HEADER = re.compile(rf"^\[{MARK}(?=[0-9]{{1,6}}\] memory(?:-tainted)? · )", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that memory found. ``source`` says where it was said, such as ``notes``.

    ``text`` is as it was said; ``render`` puts it on one line. ``level`` is the item's class.
    """

    source: str
    level: Level
    untrusted: bool
    text: str

    @property
    def tag(self) -> str:
        """``memory``, or ``memory-tainted`` when untrusted."""
        return "memory-tainted" if self.untrusted else "memory"


def render(items: Sequence[Item], *, cap: int | None = None) -> str:
    """The items as the model sees them, numbered from 1, two lines each: a header and the text.

    The text is a ``snippet`` (600 characters), or ``one_line`` of ``cap`` characters when one is given
    (``ask_memory`` takes 2,000).
    """
    return "\n".join(
        f"[{number}] {item.tag} · {one_line(item.source, 200)} · {item.level.text}\n{INDENT}"
        + (snippet(item.text) if cap is None else one_line(item.text, cap))
        for number, item in enumerate(items, 1)
    )


def neutralise_items(content: str) -> str:
    """What ``render`` made, with every tag broken but the items' own headers.

    Only a header begins a line: an item's text is indented, so one that was forged in it stays broken.
    """
    return _MARKED_HEADER.sub("[", neutralise(content))


def label(items: Sequence[Item]) -> Label:
    """The highest class shown, private at the least; untrusted if any item is."""
    return join(Label(Level.PRIVATE, untrusted=False), *(Label(item.level, item.untrusted) for item in items))
