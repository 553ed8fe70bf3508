"""One session's line at the outbox: what goes next, and how a text that Honcho never takes is found (4.7).

An append is stored whole or not at all. One that is refused is halved until one turn is left; when that was
refused for its size, its messages are sent one by one. A 500 tells
nothing of its cause, so a turn that was answered so by itself is only suspected. It is tried again and again;
each try counts if the server took some probes in between and failed at nothing else. Then a turn behind it is
sent as a witness; when that comes through, or others have in the meantime, the suspect is parked and never
tried again by itself, so the order holds. So an outage, or a server that fails now and then, parks nothing.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

from bxcore.delivery_marks import Key
from bxcore.turn_decisions import Decided

MOST_TURNS = 50
"""Turns of one append: each is two messages at the least, and an append takes 100."""
ROUNDS = 5
"""500s in a row on one turn alone that make a suspect: a server that fails one request of three gets there
once in 70,000 turns."""
ROUNDS_ALONE = 10
"""The same when nothing else waits that could be a witness."""


@dataclass(frozen=True, slots=True, order=True)
class Waiting:
    """A turn that waits; ``place`` is its row in the ledger."""

    place: int
    row: Decided = field(compare=False)
    key: Key = field(compare=False)


class Move(Enum):
    """What a line does next: send its first turns, ask whether the server is well, send a witness, park."""

    SEND = auto()
    PROBE = auto()
    WITNESS = auto()
    PARK = auto()


@dataclass(slots=True)
class Line:
    """What waits of one session, in the ledger's order; at least one turn while it is in use.

    ``unsure`` says that the first ones may be in Honcho already, up to the first that is not there.
    ``maybe`` is an append whose end was unclear: it is there whole or not at all. Of ``apart`` each may be
    there for itself: another life of the box sent it as a witness. The messages of those in ``singly`` are
    sent one by one, since all of them together are too large.
    """

    rows: list[Waiting] = field(default_factory=list)
    unsure: bool = False
    maybe: tuple[Waiting, ...] = ()
    apart: set[Key] = field(default_factory=set)
    singly: set[Key] = field(default_factory=set)
    cause: str = ""
    """What is held against the first turn while it is suspected."""
    _most: int = MOST_TURNS
    _bound: int = MOST_TURNS
    """Turns of an append that was not too large; it does not grow while the line is in use."""
    _rounds: int = 0
    _probes: int = 0
    """Still to come through before the suspect is tried again."""
    _others: int = 0
    """Appends that had come through when the first turn was suspected."""
    _witness: int = 0

    def add(self, waiting: Waiting) -> None:
        """Put a turn in its place."""
        if self.rows and waiting < self.rows[0]:
            self._acquit()
        insort(self.rows, waiting)

    @property
    def suspected(self) -> int:
        """How often the first turn was answered 500 by itself while the server was well."""
        return self._rounds

    def move(self, others: int) -> Move:
        """What to do; ``others`` counts the appends of all lines that came through so far."""
        if self._rounds and self._probes:
            return Move.PROBE
        if self._rounds >= ROUNDS:
            if others > self._others:
                return Move.PARK
            if len(self.rows) > 1:
                return Move.WITNESS
            if self._rounds >= ROUNDS_ALONE:
                return Move.PARK
        return Move.SEND

    def next(self) -> list[Waiting]:
        """The turns of the next append: to one workspace, in order; one whose fate is its own goes alone."""
        first = self.rows[0]
        if self._rounds or self.looked_up_alone(first) or first.key in self.singly:
            return [first]
        batch: list[Waiting] = []
        for waiting in self.rows[: self._most]:
            if waiting.row.action != first.row.action or waiting.key in self.apart | self.singly:
                break
            batch.append(waiting)
        return batch

    def looked_up_alone(self, first: Waiting) -> bool:
        """Whether a turn that is to be sent may be there already, whatever is with the others."""
        return self.unsure or first.key in self.apart

    def witness(self) -> Waiting:
        """The turn behind the suspect that is sent to see whether the server takes another one."""
        behind = self.rows[1:]
        return behind[self._witness % len(behind)]

    def absent(self, waiting: Waiting) -> None:
        """A turn was looked up and is not there; then none behind it is, but those apart."""
        self.apart.discard(waiting.key)
        if waiting is self.rows[0]:
            self.unsure = False

    def sent(self, gone: Iterable[Waiting]) -> None:
        """Take turns out that are in Honcho now."""
        taken = list(gone)
        if self.rows[0] in taken:
            self._acquit()
        self._take_out(taken)
        self._most = min(2 * self._most, self._bound)

    def refused(self, batch: list[Waiting]) -> Waiting | None:
        """Halve a batch that was refused for what it holds; gives the turn to park once it is found."""
        if len(batch) > 1:
            self._most = len(batch) // 2
            return None
        return batch[0]

    def too_large(self, batch: list[Waiting], messages: int) -> Waiting | None:
        """Send less at once; gives the turn to park once a single message is too large.

        ``messages`` is how many one request of the batch had at the most.
        """
        if len(batch) > 1:
            self._most = self._bound = len(batch) // 2
            return None
        if messages == 1:
            return batch[0]
        self.singly.add(batch[0].key)
        self.apart.add(batch[0].key)  # some of its messages may be there, if it took several requests
        return None

    def failed(self, batch: list[Waiting], others: int) -> None:
        """Note a 500 on an append, or a refusal by a server that refuses every turn."""
        if len(batch) > 1:
            self._most = len(batch) // 2
        elif batch[0] is not self.rows[0]:
            self._witness += 1
            self.doubted()
        else:
            if not self._rounds:
                self._others = others
            self._rounds += 1
            self._probes = 2 + self._rounds % 2  # so that no server that fails each n-th time keeps step

    def probed(self) -> None:
        """The server is well at something else."""
        self._probes -= 1

    def doubted(self) -> None:
        """The server failed at something else: what was held against the first turn says nothing."""
        self._rounds, self._probes = 0, 0

    def parked(self, waiting: Waiting) -> None:
        """Take a turn out that is not to be tried again by itself."""
        if waiting is self.rows[0]:
            self._acquit()
        self._take_out([waiting])
        self._most = self._bound

    def _take_out(self, gone: list[Waiting]) -> None:
        keys = {waiting.key for waiting in gone}
        self.rows = [waiting for waiting in self.rows if waiting.key not in keys]
        self.apart -= keys
        self.singly -= keys
        self.maybe = tuple(waiting for waiting in self.maybe if waiting.key not in keys)

    def _acquit(self) -> None:
        self._rounds, self._probes, self._witness = 0, 0, 0
