"""An incarnation's right to take from a mailbox (spec 5.2: a zombie is fenced off)."""

from __future__ import annotations

from actors.kernel.letter import Letter
from actors.kernel.mailbox import Mailbox
from actors.kernel.timers import Timers


class Lease:
    """Made when an incarnation begins; over as soon as the mailbox has a newer epoch."""

    __slots__ = ("box", "epoch", "handled", "in_hand", "timers")

    def __init__(self, box: Mailbox) -> None:
        self.box = box
        self.epoch = box.fence()
        self.timers = Timers()
        self.in_hand: Letter | None = None
        self.handled = 0

    @property
    def current(self) -> bool:
        """Whether no newer incarnation and no fence has ended it."""
        return self.box.epoch == self.epoch

    def get(self) -> Letter:
        """The next letter; waits for one. The incarnation's own thread only."""
        letter = self.in_hand = self.box.take(self.epoch, self.timers)
        self.handled += 1
        return letter

    def empty(self) -> bool:
        """True always: Pykka's teardown must not drain what waits for the next incarnation."""
        return True
