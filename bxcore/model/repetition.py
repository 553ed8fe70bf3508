"""Telling a text that goes round in circles: small models repeat a line, or white space, without end."""

from __future__ import annotations

TAIL = 3000
"""Characters at the end of a text that have to be repetition alone."""
LONGEST = 300
"""Characters of the longest piece whose repetition counts: ten times at least."""
LOOK = 500
"""Characters between two looks."""


def goes_round(text: str) -> bool:
    """Whether the last ``TAIL`` characters are one piece of at most ``LONGEST``, again and again."""
    tail = text[-TAIL:]
    return len(tail) == TAIL and _period(tail) <= LONGEST


def _period(text: str) -> int:
    """The length of the shortest piece that the text repeats (Knuth, Morris and Pratt's borders)."""
    border = [0] * len(text)
    size = 0
    for at in range(1, len(text)):
        while size and text[at] != text[size]:
            size = border[size - 1]
        size += text[at] == text[size]
        border[at] = size
    return len(text) - border[-1]


class Circles:
    """Takes a text in pieces, and looks at its end every now and then."""

    def __init__(self) -> None:
        self._tail = ""
        self._unseen = 0

    def feed(self, piece: str) -> bool:
        """Whether the text goes round by now; costs in step with the text's length."""
        self._tail = (self._tail + piece)[-TAIL:]
        self._unseen += len(piece)
        if self._unseen < LOOK:
            return False
        self._unseen = 0
        return goes_round(self._tail)
