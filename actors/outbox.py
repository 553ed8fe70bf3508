"""Outbox: sends what the ledger holds to Honcho, in order within a session, across outages (spec 4.7).

It holds no text: a turn is read from its session's log when it is sent. After an unclear end (a time-out, a
lost connection, a crash between sending and its mark) the turn is looked up in Honcho before it is sent
again, so no turn is there twice or missing. Its rooms: what waits, one step of delivery, and the operator's
look and word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from loguru import logger

from actors.base import Actor, Context, Refusal, Timer
from actors.outbox_operator import Operator
from actors.outbox_parts import Delivery
from actors.outbox_sending import Sender
from actors.outbox_waiting import Queue
from bxcore.backoff import delay_s
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
from bxcore.outbox_line import Line, Waiting
from bxio.deadline_http import Cut
from bxio.honcho import HonchoUnavailable
from bxio.honcho.errors import GatewayFailed, Refused, ServerFailed
from bxio.journal_file import JournalError
from bxio.session_store import SessionError
from bxio.turn_ledger import DeliveryMarks

__all__ = ["Delivery", "Outbox"]

QUEUE_AGAIN_S = 60.0
"""Between two questions of what Honcho has still to think about."""
REFUSED_TWICE = "500 twice, while others came through"


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
        self._operator: Operator
        self._open = False
        self._failures = 0
        self._failing = ""
        self._failing_since_s = 0.0
        self._rest_s: float | None = None
        self._sent = 0
        self._thinks: tuple[tuple[str, str], ...] = ()
        self._asked_queue_s = float("-inf")
        self._asked_after = 0
        self._next: Timer | None = None
        self._next_s = 0.0

    def on_start(self) -> None:
        """Read what waits from the ledger; what of it another life of the box sent is looked up."""
        try:
            self._marks = DeliveryMarks.open(self._delivery.marks)
            self._open = True
            self._queue = Queue(self._delivery.ledger, self._delivery.forgotten)
            self._sender = Sender(self._delivery, self._marks, self._cut, self.now)
            self._operator = Operator(self._delivery, self._queue, self._marks, self._world.wall)
            self._queue.read(self._marks.known, unsure=True)
        except JournalError as error:
            self.on_stop()
            raise Refusal(error.sentence) from None
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
            case Deliver():
                self._queue.hear(message.rows, self._marks.known)
            case LookAgain():
                self._queue.read(self._marks.known, unsure=False)
            case SendNext():
                self._next = None
                self._step()
            case ShowOutbox():
                return self._operator.show(message.limit, self._facts(), max(0.0, self._next_s - self.now()))
            case RetryRows():
                self._try_at_once()
                return self._operator.retry(message.id)
            case DropRow():
                return self._operator.drop(message.id)
            case _:
                assert_never(message)
        return None

    def facts(self) -> Mapping[str, str | int | float]:
        """Turns that wait and that were parked, and failures in a row."""
        if not self._open:
            return {}
        return {
            "waiting": self._queue.waiting,
            "parked": len(self._marks.known.parked),
            "failures": self._failures,
        }

    # When.

    def _go_on(self) -> None:
        """Have the next step come up: at once, or after a rest while Honcho fails."""
        if self._delivery.publish is not None:
            self._delivery.publish(self._facts())
        if self._next is not None or not self._delivery.save or not self._has_work():
            return
        rest_s = 0.0
        if self._failures:
            rest_s = delay_s(self._delivery.backoff, self._failures, self._world.random())
            rest_s = max(rest_s, self._rest_s or 0.0)
        self._next_s = self.now() + rest_s
        self._next = self.tell_later(rest_s, SendNext())

    def _has_work(self) -> bool:
        return bool(self._queue.lines or self._queue.erase or self._queue.more_in_ledger)

    def _try_at_once(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self._failures = 0

    # One step.

    def _step(self) -> None:
        """Erase a session, or look up or append some turns of one: a single failure ends the step."""
        if not self._queue.lines and not self._queue.erase:
            self._queue.read(self._marks.known, unsure=False)
        session = next(iter(self._queue.erase), None) or next(iter(self._queue.lines), None)
        if session is None:
            return
        self._queue.turn_to_next(session)
        try:
            if session in self._queue.erase:
                self._erase(session)
            else:
                self._deliver(session, self._queue.lines[session])
        except (JournalError, SessionError) as error:
            self._failed(error.sentence)
            logger.error("outbox: session {}: {}", session, error.sentence)

    def _erase(self, session: str) -> None:
        orders = self._queue.erase[session]
        order = orders[0]
        generation = self._queue.orders.by_session[session].index(order)
        try:
            self._sender.erase(order, generation)
        except HonchoUnavailable as error:
            self._unavailable(error)
            return
        self._well()
        del orders[0]
        if not orders:
            del self._queue.erase[session]

    def _deliver(self, session: str, line: Line) -> None:
        batch = line.next()[: 1 if line.unsure else None]
        try:
            there = self._sender.there(batch[0]) if line.unsure else frozenset()
        except HonchoUnavailable as error:  # of a question, which says nothing of what is to be sent
            self._unavailable(error)
            return
        try:
            sent = self._sender.send(session, batch, there)
        except Refused as error:
            self._well()  # it looked at what was sent
            self._park(line.refused(batch), str(error))
        except ServerFailed as error:
            self._server_failed(line, batch, error)
        except HonchoUnavailable as error:
            line.unsure = True
            self._unavailable(error)
        else:
            self._well()
            self._sent += sent.appended
            line.unsure = line.unsure and not sent.appended
            line.sent(sent.turns)
            self._queue.gone(sent.turns)
            self._ask_queue()

    def _server_failed(self, line: Line, batch: list[Waiting], error: ServerFailed) -> None:
        """A proxy's word says nothing of what was sent; a 500 may."""
        if isinstance(error, GatewayFailed):
            line.unsure = True
        else:
            self._park(line.failed(batch, self._sent), REFUSED_TWICE)
        self._unavailable(error)

    def _park(self, waiting: Waiting | None, why: str) -> None:
        if waiting is None:
            return
        self._sender.park(waiting, why)
        self._queue.gone([waiting])
        logger.error(
            "outbox: turn {} of session {} is parked: {}", waiting.row.turn, waiting.row.session, why
        )

    def _unavailable(self, error: HonchoUnavailable) -> None:
        self._rest_s = error.retry_after_s
        if self._failures == 0:
            logger.warning("outbox: {} turns wait for honcho: {}", self._queue.waiting, error)
        self._failed(str(error))

    def _failed(self, why: str) -> None:
        if self._failing == "":
            self._failing_since_s = self.now()
        self._failing = why
        self._failures += 1

    def _well(self) -> None:
        self._failures, self._failing, self._rest_s = 0, "", None

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
        return OutboxFacts(
            waiting=self._queue.waiting,
            parked=len(self._marks.known.parked),
            oldest_s=self._operator.oldest_s(),
            failing=self._failing,
            failing_s=self.now() - self._failing_since_s if self._failing else 0.0,
            saves=self._delivery.save,
            queue=self._thinks,
        )
