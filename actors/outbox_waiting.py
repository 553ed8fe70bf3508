"""What waits at the outbox, by session, read from the ledger (spec 4.7); a room of ``actors/outbox.py``."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from pathlib import Path

from bxcore.decide import Send
from bxcore.delivery_marks import Key, Marks
from bxcore.erasing import EraseOrder, Orders
from bxcore.outbox_line import Line, Waiting
from bxcore.turn_decisions import Decided
from bxio import forgotten, ledger_reader
from bxio.journal_file import JournalError
from bxio.ledger_reader import Found, Settled, Spot

HELD = 4000
"""Turns held at hand; the ledger keeps the others until these are sent."""


class Queue:
    """``lines`` are the sessions, the one that is to be served next comes first."""

    def __init__(self, ledger: Path, orders: Path | None) -> None:
        self._ledger = ledger
        self._orders_path = orders
        self.orders = Orders()
        self.lines: OrderedDict[str, Line] = OrderedDict()
        self.erase: OrderedDict[str, list[EraseOrder]] = OrderedDict()
        """Orders that Honcho has not carried out, by session; nothing else of that session goes before."""
        self.waiting = 0
        """Turns that wait, at hand or in the ledger."""
        self._held: set[Key] = set()
        self._settled = Settled(ledger)
        self._seen = Spot()
        """Up to where the ledger is counted."""
        self._more: Spot | None = None
        """Where the first turn is that is counted and not at hand."""
        self._old = 0
        """What lies before this byte of the ledger may have been sent by another life of the box."""

    @property
    def held(self) -> int:
        """Turns at hand."""
        return len(self._held)

    @property
    def more_in_ledger(self) -> bool:
        """Whether some of what waits is not at hand."""
        return self._more is not None

    @property
    def wants_more(self) -> bool:
        """Whether there is room at hand for what is only in the ledger."""
        return self.more_in_ledger and self.held <= HELD // 2

    # From the ledger.

    def start(self, marks: Marks) -> None:
        """Read it all; what waits may have been sent by another life of the box."""
        self._read_orders(marks)
        self._seen = self._settled.read(len(self.orders))
        try:
            self._count(marks)
        except JournalError:  # of another ledger, or damaged: the second try tells
            self.read_again(marks)
        self._old = self._seen.offset
        for line in self.lines.values():
            line.unsure = True
            line.apart.update(waiting.key for waiting in line.rows if waiting.key in marks.sending)
        self.note_settled()

    def hear(self, marks: Marks) -> None:
        """Read what is new, or all again after an order to forget."""
        if self._read_orders(marks):
            self.read_again(marks)
        else:
            self._count(marks)

    def note_settled(self) -> None:
        """Remember that nothing waits, so that the next start need not read so far back."""
        if not self.waiting and not self.erase:
            self._settled.note(self._seen, len(self.orders))

    def read_again(self, marks: Marks) -> None:
        """Read it all again: what was settled may wait now. All at hand stays there."""
        self._seen, self._more, self.waiting = Spot(), None, self.held
        self._count(marks)

    def retry(self, keys: Iterable[Key], marks: Marks) -> None:
        """Take turns in again that were parked; some of their parts may be there."""
        self.read_again(marks)
        for key in keys:
            if key in self._held:
                self.lines[key.session].apart.add(key)

    def refill(self, marks: Marks) -> None:
        """Take more to hand, once there is room."""
        start, self._more = self._more, None
        if start is None:
            return
        try:
            for found in ledger_reader.rows(self._ledger, start):
                if found.before.offset >= self._seen.offset:
                    return
                if self._waits(found.row, marks) and not self._hold(found):
                    return
        except JournalError:
            self._more = start
            raise

    def _count(self, marks: Marks) -> None:
        for found in ledger_reader.rows(self._ledger, self._seen):
            self._seen = found.behind
            if self._waits(found.row, marks):
                self.waiting += 1
                self._hold(found)

    def _waits(self, row: Decided, marks: Marks) -> bool:
        """Whether it is to be sent and is not at hand."""
        if not isinstance(row.action, Send):
            return False
        key = self.key(row)
        if key in self._held or not marks.waits(key):
            return False
        return not self.orders.forgotten(row.session, row.log, row.turn)

    def _hold(self, found: Found) -> bool:
        """Take a turn to hand if none before it was left in the ledger and there is room."""
        if self._more is not None or self.held >= HELD:
            self._more = self._more or found.before
            return False
        waiting = Waiting(found.before.number, found.row, self.key(found.row))
        line = self.lines.get(waiting.key.session)
        if line is None:
            line = self.lines[waiting.key.session] = Line(unsure=found.before.offset < self._old)
        line.add(waiting)
        self._held.add(waiting.key)
        return True

    def _read_orders(self, marks: Marks) -> bool:
        """Whether there are new ones: their session is read anew, and what is left of it is sent again."""
        if self._orders_path is None:
            return False
        known = self.orders
        self.orders = Orders(forgotten.orders(self._orders_path))
        new = False
        for session, orders in self.orders.by_session.items():
            open_ones = [order for order in orders if order.id not in marks.erased]
            if open_ones:
                self.erase[session] = open_ones
            if len(orders) != known.generation(session):
                new = True
                if session in self.lines:
                    self._held.difference_update(waiting.key for waiting in self.lines.pop(session).rows)
        return new

    # At hand.

    def key(self, row: Decided) -> Key:
        """What its marks are kept under."""
        return Key(row.session, row.log, row.turn, self.orders.generation(row.session))

    def rows(self) -> Iterator[Waiting]:
        """All at hand."""
        for line in self.lines.values():
            yield from line.rows

    def gone(self, gone: Iterable[Waiting]) -> None:
        """Note that turns left their line; an empty line is taken away."""
        for waiting in gone:
            self._held.discard(waiting.key)
            self.waiting -= 1
            line = self.lines.get(waiting.key.session)
            if line is not None and not line.rows:
                del self.lines[waiting.key.session]
        self.note_settled()

    def turn_to_next(self, session: str) -> None:
        """Let the other sessions come first."""
        if session in self.lines:
            self.lines.move_to_end(session)
        if session in self.erase:
            self.erase.move_to_end(session)
