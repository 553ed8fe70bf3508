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
from bxio import forgotten
from bxio.turn_ledger import to_send

HELD = 1000
"""Turns held at hand; the ledger keeps the others until these are sent."""
LATER = 1 << 48
"""The place of a turn that was heard of before the ledger was read again."""


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
        self._heard = LATER

    @property
    def held(self) -> int:
        """Turns at hand."""
        return len(self._held)

    @property
    def more_in_ledger(self) -> bool:
        """Whether some of what waits is not at hand."""
        return self.waiting > self.held

    def read(self, marks: Marks, *, unsure: bool) -> None:
        """Read orders and ledger; ``unsure`` when what waits may have been sent by another life of it."""
        self._read_orders(marks)
        self.waiting = self.held
        for place, row in enumerate(to_send(self._ledger)):
            key = self.key(row)
            if key in self._held:
                continue
            if not marks.waits(key) or self.orders.forgotten(row.session, row.log, row.turn):
                continue
            self.waiting += 1
            self._hold(Waiting(place, row, key), unsure=unsure)

    def _read_orders(self, marks: Marks) -> None:
        """A session with a new order is read anew: what was forgotten goes, the rest is sent again."""
        if self._orders_path is None:
            return
        known = self.orders
        self.orders = Orders(forgotten.orders(self._orders_path))
        for session, orders in self.orders.by_session.items():
            open_ones = [order for order in orders if order.id not in marks.erased]
            if open_ones:
                self.erase[session] = open_ones
            if len(orders) != known.generation(session) and session in self.lines:
                self._held.difference_update(waiting.key for waiting in self.lines.pop(session).rows)

    def hear(self, rows: Iterable[Decided], marks: Marks) -> None:
        """Take in rows that have just been written."""
        for row in rows:
            key = self.key(row)
            if not isinstance(row.action, Send) or key in self._held or not marks.waits(key):
                continue
            if self.orders.forgotten(row.session, row.log, row.turn):
                continue
            more = self.more_in_ledger
            self.waiting += 1
            self._heard += 1
            if not more:  # else it would pass those that the ledger still holds
                self._hold(Waiting(self._heard, row, key), unsure=False)

    def key(self, row: Decided) -> Key:
        """What its marks are kept under."""
        return Key(row.session, row.log, row.turn, self.orders.generation(row.session))

    def rows(self) -> Iterator[Waiting]:
        """All at hand."""
        for line in self.lines.values():
            yield from line.rows

    def _hold(self, waiting: Waiting, *, unsure: bool) -> None:
        if self.held >= HELD:
            return
        line = self.lines.setdefault(waiting.key.session, Line())
        line.add(waiting)
        line.unsure = line.unsure or unsure
        self._held.add(waiting.key)

    def gone(self, gone: Iterable[Waiting]) -> None:
        """Note that turns left their line; an empty line is taken away."""
        for waiting in gone:
            self._held.discard(waiting.key)
            self.waiting -= 1
            line = self.lines.get(waiting.key.session)
            if line is not None and not line.rows:
                del self.lines[waiting.key.session]

    def turn_to_next(self, session: str) -> None:
        """Let the other sessions come first."""
        if session in self.lines:
            self.lines.move_to_end(session)
        if session in self.erase:
            self.erase.move_to_end(session)
