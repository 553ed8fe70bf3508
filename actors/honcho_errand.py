"""What every short-lived actor that asks a Honcho shares: it answers, ends, and counts what comes late (4.4).

Its thread blocks in the exchange. What ends it is the exchange's own deadline, a moment after the asker's,
and the cut of its socket: by an asker who gives up before its time, or by whoever wants the actor stopped. An
answer in between is late: it is set on the abandoned reply all the same, so that it is counted with its size,
as a dead letter of this actor's address.
"""

from __future__ import annotations

from typing import TypeVar

from actors.base import Context, Errand, Reply
from bxio.honcho import HonchoClient

M = TypeVar("M")


class HonchoErrand(Errand[M]):
    """A temporary child: one message, one outcome, then the end. A subclass says what it asks."""

    LISTENS_ON_S = 0.5
    """For an answer that can only be counted any more, behind the asker's deadline; at most a second."""

    def __init__(self, context: Context, *, client: HonchoClient, workspace: str) -> None:
        super().__init__(context)
        self.client = client
        self.workspace = workspace

    def run(self, message: M, reply: Reply) -> None:
        """Ask, and answer."""
        reply.on_abandon(lambda: self._nobody_waits(reply.deadline_s))
        reply.set(self.outcome(message, reply.deadline_s + self.LISTENS_ON_S))

    def outcome(self, message: M, deadline_s: float) -> object:
        """Ask by ``deadline_s`` (absolute, monotonic), with ``cutting``. Runs in the actor's thread."""
        raise NotImplementedError

    def _nobody_waits(self, deadline_s: float) -> None:
        """Give the question up at once; when its time is over, only a late answer may come. Any thread."""
        if self.now() < deadline_s:
            self.cutting.cut()
