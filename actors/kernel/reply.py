"""The other end of an ask: resolved once, waited for with a deadline, abandoned by who no longer waits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from actors.kernel.dead_letters import DeadLetters, Why, size_of
from actors.kernel.errors import CallError, Refusal, TimedOut
from actors.kernel.outcome import Answer, Failed, Late, Outcome
from actors.kernel.world import LONGEST_WAIT_S, World

_PENDING, _ANSWERED, _FAILED, _ABANDONED = range(4)
_LET_GO = object()
"""The value of a reply that was abandoned before its deadline: nobody was kept waiting."""


class Reply:
    """Resolved at most once, by any thread; no callback runs under its lock.

    ``deadline_s`` is absolute and monotonic: an answer after it is a dead letter. ``extend`` moves it later.
    """

    __slots__ = (
        "_abandoning",
        "_condition",
        "_dead_letters",
        "_resolving",
        "_state",
        "_value",
        "_world",
        "address",
        "deadline_s",
    )

    def __init__(self, world: World, dead_letters: DeadLetters, address: str, deadline_s: float) -> None:
        self._world = world
        self._dead_letters = dead_letters
        self.address = address
        self.deadline_s = deadline_s
        self._condition = world.condition()
        self._state = _PENDING
        self._value: Any = None
        self._abandoning: list[Callable[[], object]] | None = None
        self._resolving: list[Callable[[], object]] | None = None

    @property
    def abandoned(self) -> bool:
        """Whether nobody waits any more."""
        return self._state == _ABANDONED

    @property
    def pending(self) -> bool:
        """Whether it is neither resolved nor abandoned."""
        return self._state == _PENDING

    def set(self, value: Any) -> bool:
        """Answer. False, and a dead letter, when it came too late."""
        return self._resolve(_ANSWERED, value) or self._late(value)

    def fail(self, error: CallError | Refusal) -> bool:
        """Answer with an error. False, and a dead letter, when it came too late."""
        return self._resolve(_FAILED, error) or self._late(error)

    def set_if_pending(self, value: Any) -> None:
        """Answer unless it is resolved already; the kernel's own, counts no dead letter."""
        self._settle(_ANSWERED, value)

    def fail_if_pending(self, error: CallError | Refusal) -> None:
        """Fail it unless it is resolved already; the kernel's own, counts no dead letter."""
        self._settle(_FAILED, error)

    def abandon(self) -> None:
        """Say that nobody waits any more: the waiter wakes, the callbacks run in this thread. Any thread."""
        with self._condition:
            early = self._world.monotonic() < self.deadline_s
            callbacks = self._over(_ABANDONED, _LET_GO if early else None)
        _run(callbacks)

    def abandon_when_due(self) -> None:
        """Abandon it when its own deadline has come; a deadline that was moved has not. Any thread."""
        with self._condition:
            due = self._world.monotonic() >= self.deadline_s
            callbacks = self._over(_ABANDONED, None) if due else []
        _run(callbacks)

    def on_abandon(self, callback: Callable[[], object]) -> None:
        """Have ``callback`` run once when the reply is abandoned; at once, here, when it is already."""
        with self._condition:
            if self._state == _PENDING:
                self._abandoning = [*(self._abandoning or ()), callback]
            run_now = self._state == _ABANDONED
        if run_now:
            _run([callback])

    def when_over(self, callback: Callable[[], object]) -> None:
        """Have ``callback`` run once when the reply is resolved or abandoned; at once when it is already."""
        with self._condition:
            over = self._state != _PENDING
            if not over:
                self._resolving = [*(self._resolving or ()), callback]
        if over:
            _run([callback])

    def extend(self, deadline_s: float) -> bool:
        """Move its own deadline to ``deadline_s``, only later, only while somebody waits. Any thread.

        False when it is over or its deadline has passed; who waits for that deadline goes on waiting.
        """
        with self._condition:
            if self._state != _PENDING or self._world.monotonic() > self.deadline_s:
                return False
            self.deadline_s = max(self.deadline_s, deadline_s)
            return True  # who waits wakes at the old one and looks

    def get(self, timeout_s: float) -> Any:
        """Wait at most ``timeout_s``; raises the ``CallError`` or ``Refusal``, ``TimedOut`` when late."""
        outcome = self.outcome(self._world.monotonic() + timeout_s)
        match outcome:
            case Answer(value):
                return value
            case Failed(error):
                raise error
            case Late():
                raise TimedOut(self.address)

    def outcome(self, deadline_s: float | None = None) -> Outcome:
        """Wait until ``deadline_s`` or its own deadline, the earlier; never raises. Late abandons it.

        Its own deadline may be moved meanwhile; without ``deadline_s`` it is the only one.
        """
        latest_s = math.inf if deadline_s is None else deadline_s
        with self._condition:
            self._wait(lambda: min(latest_s, self.deadline_s))
            callbacks = self._over(_ABANDONED, None)
        _run(callbacks)
        return self.peek()

    def outcome_kept(self, deadline_s: float) -> Outcome:
        """Wait until ``deadline_s`` like ``outcome``, but go on wanting the answer when it is late."""
        with self._condition:
            self._wait(lambda: deadline_s)
        return self.peek()

    def _wait(self, until_s: Callable[[], float]) -> None:
        """Until it is over or ``until_s()`` has come. Under the lock."""
        while self._state == _PENDING:
            left_s = until_s() - self._world.monotonic()
            if left_s <= 0.0:
                return
            self._condition.wait(min(left_s, LONGEST_WAIT_S))

    def peek(self) -> Outcome:
        """What is there now, without waiting; ``Late`` while nothing is."""
        if self._state == _ANSWERED:
            return Answer(self._value)
        if self._state == _FAILED:
            return Failed(self._value)
        return Late()

    def _resolve(self, state: int, value: Any) -> bool:
        """After the deadline nothing is an answer, even if the asker has not noticed yet."""
        if self._world.monotonic() > self.deadline_s:
            self._settle(_ABANDONED, None)
            return False
        return self._settle(state, value)

    def _settle(self, state: int, value: Any) -> bool:
        with self._condition:
            first = self._state == _PENDING
            callbacks = self._over(state, value)
        _run(callbacks)
        return first

    def _over(self, state: int, value: Any) -> list[Callable[[], object]]:
        """Resolve or abandon it unless it is over; what is to run once the lock is free. Under the lock."""
        if self._state != _PENDING:
            return []
        self._state = state
        self._value = value
        self._condition.notify_all()
        abandoning = self._abandoning if state == _ABANDONED else None
        callbacks = [*(abandoning or ()), *(self._resolving or ())]
        self._abandoning = self._resolving = None
        return callbacks

    def _late(self, value: object) -> bool:
        unwanted = self._value is _LET_GO
        self._dead_letters.count(
            self.address, Why.LATE, type(value).__name__, size_of(value), unwanted=unwanted
        )
        return False


def gather(replies: Iterable[Reply], deadline_s: float) -> list[Outcome]:
    """Wait for all until ONE absolute deadline; the late ones are abandoned. In the order given."""
    return [reply.outcome(deadline_s) for reply in replies]


def _run(callbacks: list[Callable[[], object]]) -> None:
    """Run them all: a broken one is told by its error's type and keeps no other from running."""
    for callback in callbacks:
        try:
            callback()
        except Exception as error:  # noqa: BLE001 - it runs in the thread of whoever resolves the reply
            from loguru import logger

            logger.error(f"a callback of a reply failed: {type(error).__name__}")
