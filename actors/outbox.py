"""Outbox: sends what the ledger holds to Honcho, in order within a session, across outages (spec 4.7).

It holds no text: a turn is read from its session's log when it is sent. After an unclear end (a time-out, a
lost connection, a crash between sending and its mark) the turn is looked up in Honcho before it is sent
again, so no turn is there twice or missing. Its rooms: what waits, one step of delivery, single requests, and
the operator's look and word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from loguru import logger

from actors.base import Actor, Context, Refusal, Timer
from actors.outbox_operator import Operator
from actors.outbox_parts import Delivery
from actors.outbox_sending import Sender
from actors.outbox_steps import Steps
from actors.outbox_waiting import Queue
from actors.outbox_ways import Ways
from bxcore.messages.outbox import (
    Deliver,
    DropRow,
    LookAgain,
    OutboxMessage,
    RetryRows,
    SendNext,
    ShowOutbox,
)
from bxcore.outbox_facts import OutboxFacts
from bxcore.outbox_parking import reasons
from bxio.deadline_http import Cut
from bxio.honcho import HonchoUnavailable
from bxio.journal_file import JournalError
from bxio.turn_ledger import DeliveryMarks

__all__ = ["Delivery", "Outbox"]

QUEUE_AGAIN_S = 60.0
"""Between two questions of what Honcho has still to think about."""
REFILL_AGAIN_S = 5.0
"""After the ledger could not be read."""


class Outbox(Actor):
    """A network child: it may block for one request, which ``cut`` ends."""

    def __init__(self, context: Context, *, delivery: Delivery) -> None:
        super().__init__(context)
        self._world = context.runtime.world
        self._delivery = delivery
        self._cut = Cut()
        self._marks: DeliveryMarks
        self._queue: Queue
        self._sender: Sender
        self._ways: Ways
        self._steps: Steps
        self._operator: Operator
        self._open = False
        self._thinks: tuple[tuple[str, str], ...] = ()
        self._asked_queue_s = float("-inf")
        self._next: Timer | None = None
        self._next_s = 0.0
        self._refill_s = 0.0

    def on_start(self) -> None:
        """Read what waits from the ledger; what of it another life of the box sent is looked up."""
        delivery = self._delivery
        try:
            self._marks = DeliveryMarks.open(delivery.marks)
            self._open = True
            self._queue = Queue(delivery.ledger, delivery.forgotten)
            self._sender = Sender(delivery, self._marks, self._cut, self.now)
            self._ways = Ways(backoff=delivery.backoff, now=self.now, chance=self._world.random)
            self._steps = Steps(delivery=delivery, queue=self._queue, sender=self._sender, ways=self._ways)
            self._operator = Operator(delivery, self._steps, self._marks, self._world.wall)
            self._queue.start(self._marks.known)
        except JournalError as error:
            self.on_stop()
            raise Refusal(error.sentence) from None
        self._steps.settle()
        self._go_on()

    def on_stop(self) -> None:
        """Close the marks."""
        if self._open:
            self._marks.close()

    def cut(self) -> None:
        """Shut down the request on its way. Any thread."""
        self._cut.cut()

    def on_receive(self, message: OutboxMessage) -> object:
        """Take in rows, send the next ones, or answer the operator."""
        try:
            return self._handled(message)
        except JournalError as error:
            raise Refusal(error.sentence) from None
        finally:
            self._go_on()

    def _handled(self, message: OutboxMessage) -> object:
        match message:
            case Deliver() | LookAgain():  # the ledger holds the rows, on disk
                self._queue.hear(self._marks.known)
            case SendNext():
                self._next = None
                self._step()
            case ShowOutbox():
                return self._operator.show(message.limit, self._facts(), max(0.0, self._next_s - self.now()))
            case RetryRows():
                self._ways.at_once()
                return self._operator.retry(message.id)
            case DropRow():
                return self._operator.drop(message.id)
            case _:
                assert_never(message)
        return None

    def facts(self) -> Mapping[str, str | int | float]:
        """Turns that wait and that were parked, failures in a row, and why the last try failed."""
        if not self._open:
            return {}
        worst = self._ways.worst
        return {
            "waiting": self._queue.waiting,
            "parked": len(self._marks.known.parked),
            "failures": worst.failures,
            "failing": worst.why,
            "refuses all": int(self._steps.all_refused),
        }

    # When.

    def _go_on(self) -> None:
        """Have the next step come up: at once, or when a rest is over."""
        if self._delivery.publish is not None:
            self._delivery.publish(self._facts())
        if not self._delivery.save:
            return
        session, due_s = self._steps.next()
        if session is None and self._queue.more_in_ledger:
            due_s = self._refill_s
        elif session is None:
            self._sender.forget()
            return
        if self._next is None or due_s < self._next_s:
            self._wake_at(due_s)

    def _wake_at(self, due_s: float) -> None:
        if self._next is not None:
            self._next.cancel()
        self._next_s = due_s
        self._next = self.tell_later(max(0.0, due_s - self.now()), SendNext())

    def _refill(self) -> None:
        """Take more to hand, when there is room for it."""
        if not self._queue.wants_more or self.now() < self._refill_s:
            return
        try:
            self._queue.refill(self._marks.known)
        except JournalError as error:
            self._refill_s = self.now() + REFILL_AGAIN_S
            logger.error("outbox: {}", error.sentence)

    def _step(self) -> None:
        self._refill()
        session, due_s = self._steps.next()
        if session is None or due_s > self.now():
            return
        appended = self._steps.appended
        self._steps.serve(session)
        if self._steps.appended > appended:
            self._ask_queue()

    # What it tells of itself.

    def _ask_queue(self) -> None:
        """Once all is delivered, and at most once a minute; what goes wrong here is no failure."""
        if self._queue.waiting or self.now() < self._asked_queue_s + QUEUE_AGAIN_S:
            return
        self._asked_queue_s = self.now()
        try:
            self._thinks = self._sender.queue()
        except HonchoUnavailable:
            self._thinks = ()

    def _facts(self) -> OutboxFacts:
        worst = self._ways.worst
        return OutboxFacts(
            waiting=self._queue.waiting,
            parked=len(self._marks.known.parked),
            oldest_s=self._operator.oldest_s(),
            failing=worst.why,
            failing_s=worst.failing_s(self.now()),
            saves=self._delivery.save,
            queue=self._thinks,
            lasting=worst.lasting,
            refuses_all=self._steps.all_refused,
            reasons=reasons(mark.why for mark in self._marks.known.parked.values()),
        )
