"""Turns that have ended: decided, indexed, told of (spec 4.6, 4.7); a room of ``actors/memory.py``."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from loguru import logger

from actors.base import Actor, Delivery, Mailbox
from actors.memory_recalls import Recalls
from bxcore.messages.memory import CatchUp, TellOutbox, TurnEnded
from bxcore.messages.outbox import Deliver, LookAgain
from bxio.journal_file import JournalError
from bxio.session_store import SessionError
from bxio.turn_intake import TurnIntake

SLICE_S = 0.05
"""How long it takes in old sessions before it looks at its mailbox again."""
OUTBOX_AGAIN_S = 5.0


class Turns:
    """Used by the memory's thread; ``actor`` is the memory, whose own mailbox it writes to."""

    def __init__(self, actor: Actor, intake: TurnIntake, recalls: Recalls, outbox: Mailbox) -> None:
        self._actor = actor
        self._intake = intake
        self._recalls = recalls
        self._outbox = outbox
        self._missing: deque[str] = deque()
        self._of = 0
        self._goes_on = False
        self._session = ""
        self._pieces: Iterator[None] = iter(())

    @property
    def missing(self) -> int:
        """Sessions that are still to be taken in."""
        return len(self._missing) + bool(self._session)

    def handle(self, message: TurnEnded | CatchUp | TellOutbox) -> None:
        """Take in a turn that has ended, or go on."""
        match message:
            case TurnEnded():
                self.take_in(message.session, message.turn)
                self.settle()
            case CatchUp():
                self.catch_up()
            case _:
                self.tell_outbox(LookAgain())

    def look_for_missing(self) -> None:
        """Find the sessions that grew unseen, and take them in bit by bit."""
        self._missing = deque(self._intake.grown(self._recalls.sizes()))
        self._of = self.missing
        self._recalls.publish(self.missing, self._of)
        self._go_on()

    def catch_up(self) -> None:
        """Take in the next of them, for a slice of time; a long one goes on in the next slice."""
        self._goes_on = False
        until_s = self._actor.now() + SLICE_S
        while self.missing:
            self._take_a_piece()
            if self._actor.now() > until_s:
                break
        self.settle()
        self._go_on()

    def _go_on(self) -> None:
        if self.missing and not self._goes_on:
            self._goes_on = True
            self._actor.tell_later(0.0, CatchUp())

    def _take_a_piece(self) -> None:
        if not self._session:
            self._session = self._missing.popleft()
            self._pieces = self._taken_in(self._session, None)
        if next(self._pieces, self._pieces) is self._pieces:
            self._session = ""

    def settle(self) -> None:
        """Have the index in order after turns came or went, and the box hear how it is."""
        self._recalls.settle(bulk=bool(self.missing))
        self._recalls.publish(self.missing, self._of)

    def finish(self) -> None:
        """Take in the rest of a session that is in part: what was read of it may be another thing soon."""
        for _ in self._pieces:
            pass
        self._session = ""
        self._intake.drop()

    def take_in(self, session: str, turn: int | None) -> None:
        """Decide and index what has ended. A decision that cannot be written now is made later."""
        if session == self._session:
            self.finish()
        for _ in self._taken_in(session, turn):
            pass

    def _taken_in(self, session: str, turn: int | None) -> Iterator[None]:
        """The same in pieces."""
        try:
            ended = self._intake.read(session, turn, self._recalls.turns_in)
            rows = self._intake.decide(ended)
        except (SessionError, JournalError) as error:
            logger.error("memory: session {} is not taken in: {}", session, error.sentence)
            return
        if ended.left_out:
            logger.warning("memory: not all of session {} is indexed: {}", session, ended.left_out)
        if rows:
            self.tell_outbox(Deliver(rows=rows))
        yield from self._recalls.taken_in(ended)

    def tell_outbox(self, message: Deliver | LookAgain) -> None:
        """Tell it, again later when it has no room."""
        if self._outbox.tell(message) is Delivery.BUSY:
            self._actor.tell_later(OUTBOX_AGAIN_S, TellOutbox())
