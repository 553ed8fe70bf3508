"""One session's line at the outbox: what goes next, and how a text that Honcho never takes is found (4.7).

A batch is stored whole or not at all. A batch that is refused is halved until one turn is left. A 500 tells
nothing of its cause: a turn that was answered so by itself is suspected, the next ones are tried as
witnesses, and it is parked when it is answered so again after another append came through. So an outage parks
nothing.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, field

from bxcore.delivery_marks import Key
from bxcore.turn_decisions import Decided

MOST_TURNS = 50
"""Turns of one append: each is two messages at the least, and an append takes 100."""


@dataclass(frozen=True, slots=True, order=True)
class Waiting:
    """A turn that waits; ``place`` is its row in the ledger."""

    place: int
    row: Decided = field(compare=False)
    key: Key = field(compare=False)


@dataclass(slots=True)
class Line:
    """What waits of one session, in the ledger's order; at least one turn while it is in use.

    ``unsure`` says that the first ones may be in Honcho already: they are looked up, up to the first that is
    not there.
    """

    rows: list[Waiting] = field(default_factory=list)
    unsure: bool = False
    _most: int = MOST_TURNS
    _suspect_since: int | None = None
    """How many appends had come through when the first turn was answered 500 by itself."""
    _proven: bool = False
    """A turn behind the suspect came through."""
    _witness: int = 0

    def add(self, waiting: Waiting) -> None:
        """Put a turn in its place."""
        insort(self.rows, waiting)

    def next(self) -> list[Waiting]:
        """The turns of the next append: to one workspace, in order.

        Behind a suspect it is one turn of those behind it, a witness that the server is well.
        """
        first = self.rows[0]
        if self._suspect_since is not None:
            behind = self.rows[1:]
            return [first] if self._proven or not behind else [behind[self._witness % len(behind)]]
        batch: list[Waiting] = []
        for waiting in self.rows[: self._most]:
            if waiting.row.action != first.row.action:
                break
            batch.append(waiting)
        return batch

    def sent(self, batch: Iterable[Waiting]) -> None:
        """Take turns out that are in Honcho now; a witness among them proves that the server is well."""
        gone = list(batch)
        if self.rows[0] in gone:
            self._acquit()
        else:
            self._proven = True
        self._take_out(gone)
        self._most = min(2 * self._most, MOST_TURNS)

    def refused(self, batch: list[Waiting]) -> Waiting | None:
        """Halve a batch that was refused for what it holds; gives the turn when it is found."""
        if len(batch) > 1:
            self._most = len(batch) // 2
            return None
        self.parked(batch[0])
        return batch[0]

    def failed(self, batch: list[Waiting], others: int) -> Waiting | None:
        """Note a 500; ``others`` counts the appends that came through so far. Gives a turn that is found."""
        self.unsure = True
        if len(batch) > 1:
            self._most = len(batch) // 2
            return None
        if batch[0] is not self.rows[0]:
            self._witness += 1
            return None
        if self._suspect_since is None:
            self._suspect_since = others
        if others == self._suspect_since:
            return None
        self.parked(batch[0])
        return batch[0]

    def parked(self, waiting: Waiting) -> None:
        """Take a turn out that is not to be tried again by itself."""
        self._take_out([waiting])
        self._most = MOST_TURNS
        self._acquit()

    def _take_out(self, gone: list[Waiting]) -> None:
        self.rows = [waiting for waiting in self.rows if waiting not in gone]

    def _acquit(self) -> None:
        self._suspect_since, self._proven, self._witness = None, False, 0
