"""The pulse: pings through the tree, and beats when every ping came back (spec 5.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from actors.base import Actor, Answer, Context, Dead, Failed, Mailbox, Outcome
from bxcore.messages.clock import Beat, ClockMessage, Pinged


class Clock(Actor):
    """Every ``period_s`` it pings ``addresses``; when all that run answer within it, ``beat`` is called.

    ``beat`` feeds the service manager's watchdog; ``check`` looks after zombies. Both in the clock's thread.
    An address is pinged in the urgent lane, between two messages: one that is stuck in a message for longer
    than the period is silent, so hand in only those that never are. One that was stopped by hand is not
    silent: it stays stopped, and the process goes on.
    """

    def __init__(
        self,
        context: Context,
        *,
        period_s: float,
        addresses: Sequence[Mailbox],
        beat: Callable[[], object],
        check: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(context)
        self._period_s = period_s
        self._addresses = tuple(addresses)
        self._beat = beat
        self._check = check

    def on_start(self) -> None:
        """The first ping goes out as soon as the tree is there to answer it."""
        self.tell_later(self._period_s, Beat())

    def on_receive(self, message: ClockMessage) -> None:
        """Ping, then judge what came back."""
        match message:
            case Beat():
                self._on_beat()
            case Pinged():
                self._on_pinged(message)
            case _:
                assert_never(message)

    def _on_beat(self) -> None:
        self._check()
        deadline_s = self.now() + self._period_s
        self.pipe([box.ping(deadline_s) for box in self._addresses], deadline_s, self._pinged)
        self.tell_later(self._period_s, Beat())

    def _pinged(self, outcomes: list[Outcome]) -> Pinged:
        asked = zip(self._addresses, outcomes, strict=True)
        return Pinged(silent=tuple(box.name for box, outcome in asked if not _is_well(outcome)))

    def _on_pinged(self, message: Pinged) -> None:
        if not message.silent:
            self._beat()
            return
        from loguru import logger

        logger.warning(f"no answer to a ping within {self._period_s:g} s from {', '.join(message.silent)}")


def _is_well(outcome: Outcome) -> bool:
    return isinstance(outcome, Answer) or (isinstance(outcome, Failed) and isinstance(outcome.error, Dead))
