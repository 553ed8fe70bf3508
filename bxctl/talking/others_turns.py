"""Which of a watch's lines tell of turns that others asked for (spec 3.1).

A watch tells every turn of a session, a chat its own. Both come by connections of their own, so either may be
ahead: a turn that says what this chat has just said is held back until its own stream tells its number.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from bxcore.control.answers import LineJson

_SILENT = frozenset({"waiting", "queued"})


@dataclass(slots=True, kw_only=True)
class _Held:
    """A turn of which it is not known yet whose it is."""

    text: str
    lines: list[LineJson] = field(default_factory=list)


class OthersTurns:
    """Takes a watch's lines and gives those that are to be shown; ``said`` are own texts not begun yet."""

    def __init__(self) -> None:
        self._mine: set[int] = set()
        self._theirs: set[int] = set()
        self._held: dict[int, _Held] = {}
        self._loose: list[LineJson] = []
        """What came between turns while an own message waited: it may be told there too."""
        self._now: int | None = None
        self._retold = False
        """Whether the running turn was shown before, to a watch that was lost: only its result is new."""

    @property
    def theirs(self) -> Collection[int]:
        """The turns that others asked for."""
        return self._theirs

    @property
    def running(self) -> bool:
        """Whether a turn of another runs, as far as it is known."""
        return self._now in self._theirs

    def take(self, line: LineJson, said: Collection[str]) -> list[LineJson]:
        """Take the watch's next line."""
        if line["kind"] in _SILENT:
            return []
        if line["kind"] == "turn_started":
            return self._begin(line, said)
        now = self._now
        if line["kind"] == "result":
            self._now = None
        if now in self._mine:
            return []
        if now in self._held:
            self._held[now].lines.append(line)
            return []
        if now is None and said:
            self._loose.append(line)
            return []
        return [] if self._retold and line["kind"] != "result" else [line]

    def _begin(self, line: LineJson, said: Collection[str]) -> list[LineJson]:
        number, text = line["turn"], line.get("text", "")
        loose, self._loose, self._now = self._loose, [], number
        self._retold = number in self._theirs
        if self._retold or number in self._mine:
            return []
        if text in said or self._held:  # what is behind a turn that is held comes behind it
            self._held[number] = _Held(text=text, lines=[*loose, line])
            return []
        self._theirs.add(number)
        return [*loose, line]

    def began(self, number: int, said: Collection[str]) -> list[LineJson]:
        """An own message has begun as turn ``number``; what was held of others' is shown."""
        self._mine.add(number)
        self._held.pop(number, None)
        self._loose.clear()
        return self.settle(said, before=number)

    def waits(self) -> list[LineJson]:
        """The first own message waits behind a running turn: what was held is another's."""
        return self.settle(())

    def settle(self, said: Collection[str], *, before: int = 0) -> list[LineJson]:
        """Give what is held and is another's: of turns ``before`` that number, or that say none of ``said``.

        None behind one that is held on.
        """
        shown: list[LineJson] = []
        for number, held in sorted(self._held.items()):
            if number > before and held.text in said:
                break
            del self._held[number]
            self._theirs.add(number)
            shown += held.lines
        return shown

    def give_up(self, number: int) -> None:
        """An own turn's stream was lost, and the turn runs: the watch tells what is left of it."""
        self._mine.discard(number)
        self._theirs.discard(number)

    def lost(self) -> None:
        """The watch's connection has ended."""
        self._now = None
        self._held.clear()
        self._loose.clear()
