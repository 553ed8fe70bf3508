"""A name that outlives its actors, and what waits for them: bounded, with an urgent lane (spec 5.2)."""

from __future__ import annotations

from collections import deque
from typing import Any

from actors.kernel.dead_letters import DeadLetters, Why, size_of
from actors.kernel.errors import Busy, CallError, Dead, Expired
from actors.kernel.letter import Fenced, Letter, Order, Ping, Stop
from actors.kernel.reply import Reply
from actors.kernel.timers import Timers
from actors.kernel.world import LONGEST_WAIT_S, World
from bxcore.address import Delivery

BOUND = 256


class Mailbox:
    """An address. Senders hold it for good; incarnations take from it under a lease, one at a time.

    A put and a close are decided under one lock, so no ask is left without an answer.
    """

    __slots__ = (
        "_closed",
        "_condition",
        "_dead_letters",
        "_epoch",
        "_normal",
        "_urgent",
        "_waiting",
        "_world",
        "bound",
        "name",
    )

    def __init__(self, name: str, world: World, dead_letters: DeadLetters, *, bound: int = BOUND) -> None:
        self.name = name
        self.bound = bound
        self._world = world
        self._dead_letters = dead_letters
        self._condition = world.condition()
        self._normal: deque[Letter] = deque()
        self._urgent: deque[Letter] = deque()
        self._waiting = 0
        self._closed = False
        self._epoch = 0

    def __repr__(self) -> str:
        return f"<Mailbox {self.name}>"

    @property
    def closed(self) -> bool:
        """Whether it refuses every message."""
        return self._closed

    @property
    def depth(self) -> int:
        """How many messages wait; read by status without asking the actor."""
        return len(self._normal)

    @property
    def epoch(self) -> int:
        """The number of the newest incarnation or fence."""
        return self._epoch

    def tell(self, message: Any, *, deadline_s: float | None = None) -> Delivery:
        """Leave a message; never raises. Past ``deadline_s`` (absolute, monotonic) it is dropped unread."""
        delivery = self._put(Letter(message, None, deadline_s))
        if delivery is not Delivery.ACCEPTED:
            self._count(message, Why.BUSY if delivery is Delivery.BUSY else Why.DEAD)
        return delivery

    def ask(self, message: Any, deadline_s: float) -> Reply:
        """Leave a message and get the reply that resolves by ``deadline_s`` (absolute, monotonic)."""
        reply = Reply(self._world, self._dead_letters, self.name, deadline_s)
        delivery = self._put(Letter(message, reply, deadline_s))
        if delivery is not Delivery.ACCEPTED:
            busy = delivery is Delivery.BUSY
            self._count(message, Why.BUSY if busy else Why.DEAD)
            reply.fail_if_pending(Busy(self.name) if busy else Dead(self.name))
        return reply

    def call(self, message: Any, timeout_s: float) -> Any:
        """Ask and wait; raises the ``CallError`` or ``Refusal``."""
        return self.ask(message, self._world.monotonic() + timeout_s).get(timeout_s)

    def ping(self, deadline_s: float) -> Reply:
        """Ask whether its actor takes messages, ahead of what waits; the answer is None."""
        return self.ask_urgent(Ping(), deadline_s)

    def ask_urgent(self, order: Order, deadline_s: float) -> Reply:
        """Ask the kernel of the actor, whichever incarnation comes to it, ahead of what waits."""
        reply = Reply(self._world, self._dead_letters, self.name, deadline_s)
        if not self.deliver(Letter(order, reply, deadline_s), urgent=True):
            reply.fail_if_pending(Dead(self.name))
        return reply

    def deliver(self, letter: Letter, *, urgent: bool = False) -> bool:
        """Leave a letter of the kernel's own, whatever the bound. False when closed."""
        with self._condition:
            if self._closed:
                return False
            (self._urgent if urgent else self._normal).append(letter)
            if self._waiting:
                self._condition.notify_all()
            return True

    def fence(self) -> int:
        """End the current incarnation's lease; the number of the new epoch, for the next one."""
        with self._condition:
            self._epoch += 1
            self._condition.notify_all()
            return self._epoch

    def close(self, *, busy: bool = False) -> None:
        """Refuse from now on; who waits gets Dead (or Busy), what was told is a dead letter."""
        with self._condition:
            self._closed = True
            left = [*self._urgent, *self._normal]
            self._urgent.clear()
            self._normal.clear()
            self._condition.notify_all()
        for letter in left:
            self._drop(letter, Why.DEAD, Busy(self.name) if busy else Dead(self.name))

    def reopen(self) -> None:
        """Take messages again; the supervisor's, when an operator starts a stopped child."""
        with self._condition:
            self._closed = False

    def _put(self, letter: Letter) -> Delivery:
        with self._condition:
            if self._closed:
                return Delivery.CLOSED
            if len(self._normal) >= self.bound:
                return Delivery.BUSY
            self._normal.append(letter)
            if self._waiting:
                self._condition.notify_all()
            return Delivery.ACCEPTED

    def take(self, epoch: int, timers: Timers) -> Letter:
        """The next letter for incarnation ``epoch``; waits for one. Its own thread only."""
        while True:
            dropped: list[Letter] = []
            letter = self._take(epoch, timers, dropped)
            for old in dropped:
                self._drop(old, Why.EXPIRED, Expired(self.name))
            if letter is not None:
                return letter

    def _take(self, epoch: int, timers: Timers, dropped: list[Letter]) -> Letter | None:
        """One letter, or None when letters were dropped that must be answered outside the lock."""
        with self._condition:
            while True:
                if self._epoch != epoch:
                    return Letter(Fenced())
                if self._closed:
                    return Letter(Stop(comes_back=False))
                wake_s = self._ring(epoch, timers) if timers else None
                lane = self._urgent or self._normal
                if lane:
                    letter = lane.popleft()
                    if letter.epoch is not None and letter.epoch != epoch:
                        continue
                    if letter.deadline_s is None or not self._stale(letter):
                        return letter
                    dropped.append(letter)
                elif dropped:
                    return None
                else:
                    self._waiting += 1
                    self._condition.wait(wake_s)
                    self._waiting -= 1

    def _stale(self, letter: Letter) -> bool:
        gone = letter.reply is not None and letter.reply.abandoned
        return gone or (letter.deadline_s is not None and letter.deadline_s < self._world.monotonic())

    def _ring(self, epoch: int, timers: Timers) -> float | None:
        """Put the messages of due timers at the end of the lane; seconds until the next one."""
        now_s = self._world.monotonic()
        timers.pop_due(now_s, lambda timer: self._normal.append(Letter(timer.message, epoch=epoch)))
        due_s = timers.next_due_s()
        return None if due_s is None else min(due_s - now_s, LONGEST_WAIT_S)

    def _drop(self, letter: Letter, reason: Why, error: CallError) -> None:
        if letter.epoch is None and not isinstance(letter.message, Order):
            self._count(letter.message, reason)
        if letter.reply is not None:
            letter.reply.fail_if_pending(error)

    def _count(self, message: Any, reason: Why) -> None:
        self._dead_letters.count(self.name, reason, type(message).__name__, size_of(message))
        undelivered = getattr(message, "undelivered", None)
        if undelivered is not None:
            undelivered()
