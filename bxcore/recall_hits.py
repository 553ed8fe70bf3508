"""What the recall index takes in and gives back, and the items that a hit becomes (spec 4.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bxcore.labels import Label
from bxcore.recalled import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One note with its label."""

    text: str
    label: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """What was found: a turn, or a note when ``session`` is empty. ``at`` is ISO 8601, or empty.

    ``place`` grows with time; ``score`` is BM25, the higher the better.
    """

    place: int
    score: float
    session: str
    turn: int
    at: str
    label: Label
    said: str
    reply: str

    def item(self) -> Item:
        """The hit as an item that says where it was said."""
        return Item(
            source=self._source(), level=self.label.level, untrusted=self.label.untrusted, text=self._text()
        )

    def _source(self) -> str:
        if not self.session:
            return "notes"
        day = self.at[: len("2026-11-02")]
        return f"session {self.session} turn {self.turn}" + (f", {day}" if day else "")

    def _text(self) -> str:
        return f"said: {self.said} / reply: {self.reply}" if self.session else self.said


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What there was to search: turns and notes taken in, and sessions that are still to be taken in.

    ``also`` are the workspaces of Honcho that were searched too.
    """

    turns: int
    notes: int
    missing: int = 0
    also: tuple[str, ...] = ()

    def nothing_found(self) -> str:
        """The sentence of an empty answer."""
        said = f"nothing found; searched {_counted(self.turns, 'turn')} and {_counted(self.notes, 'note')}"
        if self.also:
            said += f", and in Honcho {' and '.join(self.also)}"
        if not self.missing:
            return f"{said}; other words may find more"
        return f"{said}, {_counted(self.missing, 'session')} more are being taken in; ask again in a moment"


NO_TELLING_WORD = "the question has only words that stand everywhere; name what it is about"
"""What is said of a question of stop words: in the place of hits, or behind them."""
_NOTHING_FOUND = re.compile(
    r"nothing found; searched [0-9]+ turns? and [0-9]+ notes?(?:, and in Honcho [a-z]+(?: and [a-z]+)*)?"
    r"(?:; other words may find more|, [0-9]+ sessions? more are being taken in; ask again in a moment)?",
    re.IGNORECASE,
)


def without_nothing_found(reply: str) -> str:
    """A reply without the sentence of ``Searched.nothing_found``; empty when no other word is in it.

    Indexed, it would be found by whoever asks for what is not there.
    """
    left = _NOTHING_FOUND.sub("", reply)
    return left if any(map(str.isalnum, left)) else ""


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
