"""Waiting for replies without blocking: the result comes as a message to oneself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors.kernel.letter import Letter, Piped, PipeDue
from actors.kernel.life import Life
from actors.kernel.outcome import Outcome
from actors.kernel.reply import Reply
from actors.kernel.timers import Timer


class Pipe:
    """Tells the actor once: when all replies are over, or at the deadline with the late ones abandoned.

    ``deadline_s`` None is each reply's own deadline, wherever it is moved to meanwhile.
    """

    def __init__(
        self,
        life: Life,
        replies: list[Reply],
        make: Callable[[list[Outcome]], Any],
        deadline_s: float | None,
    ) -> None:
        self._life = life
        self._replies = replies
        self._make = make
        self._lock = life.runtime.world.condition()
        self._left = len(replies)
        self._deadline_s = deadline_s
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Listen to every reply; with none, the message is left at once."""
        self._life.pipes[self] = None
        self._set_timer()
        if not self._replies:
            self._tell()
        for reply in self._replies:
            reply.when_over(self._one_over)

    def _set_timer(self) -> None:
        due_s = self._deadline_s
        if due_s is None:
            due_s = min((reply.deadline_s for reply in self._replies if reply.pending), default=None)
        if due_s is not None:
            self._timer = self._life.lease.timers.add(due_s, PipeDue(self._due))

    def _due(self) -> None:
        """The deadline has come, or that of one reply; an own deadline may have been moved meanwhile."""
        if self._deadline_s is not None:
            self.abandon()
            return
        for reply in self._replies:
            reply.abandon_when_due()
        self._set_timer()

    def abandon(self) -> None:
        """Nobody waits any more. Any thread."""
        for reply in self._replies:
            reply.abandon()

    def _one_over(self) -> None:
        with self._lock:
            self._left -= 1
            all_over = self._left == 0
        if all_over:
            self._tell()

    def _tell(self) -> None:
        lease = self._life.lease
        lease.box.deliver(Letter(Piped(self._make, self.outcomes), epoch=lease.epoch))

    def outcomes(self) -> list[Outcome]:
        """What became of each, in the order given. The actor's thread, once all are over."""
        self._life.pipes.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
        return [reply.peek() for reply in self._replies]
