"""Who is told what a session's turns show: the asker of the running one, and all who watch (spec 3.1).

The session's own thread tells it, the loop joins and removes watchers, and it outlives both: neither's crash
loses a watcher. Nobody in it holds up a turn: what a full listener had no room for goes with its next piece.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from bxcore.address import Address, Delivery
from bxcore.labels import TOP
from bxcore.messages.broker import ApprovalAsked
from bxcore.messages.loop import TurnBrake, TurnEvent, TurnOver, TurnResult, TurnStarted, Usage
from bxio.audience_seat import Seat
from bxio.turn_so_far import TurnSoFar

MOST_WATCHERS = 16
"""Watchers of one session."""
UNHEARD = "what it came to is not known; see bxctl sessions show"


@dataclass(slots=True, kw_only=True)
class _Turn:
    """The running turn: who asked for it, what ends it, and what it has shown."""

    asker: Seat | None
    brake: TurnBrake
    so_far: TurnSoFar = field(default_factory=TurnSoFar)


class Audience:
    """One a session. Any thread; no method blocks longer than its listeners' ``tell``, which never does."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._watchers: list[Seat] = []
        self._turn: _Turn | None = None

    # The watchers'.

    def join(self, listener: Address[TurnEvent]) -> bool:
        """Tell it what the running turn has shown, then all that comes. False when too many watch."""
        with self._lock:
            if any(seat.listener is listener for seat in self._watchers):
                return True
            self._watchers = [seat for seat in self._watchers if not seat.gone]
            if len(self._watchers) >= MOST_WATCHERS:
                return False
            seat = Seat(self._session, listener)
            self._watchers.append(seat)
            for event in self._turn.so_far.events() if self._turn is not None else ():
                seat.tell(event)
            return True

    def leave(self, listener: Address[TurnEvent]) -> None:
        """Tell it no more."""
        with self._lock:
            self._watchers = [seat for seat in self._watchers if seat.listener is not listener]

    @property
    def watched(self) -> bool:
        """Whether somebody watches."""
        return bool(self._watchers)

    # The turn's.

    def begin(self, asker: Address[TurnEvent] | None, brake: TurnBrake) -> None:
        """A turn begins: ``asker`` is told too, until it is over. One before it that did not end was lost."""
        with self._lock:
            self._end_lost(UNHEARD)
            self._turn = _Turn(asker=None if asker is None else Seat(self._session, asker), brake=brake)

    def tell(self, event: TurnEvent) -> Delivery:
        """Tell the asker and every watcher; what became of an approval's question at the asker.

        All else is accepted: what had no room is made good later, by the listener's seat.
        """
        with self._lock:
            turn = self._turn
            if turn is None:
                return Delivery.CLOSED
            turn.so_far.add(event)
            asked = Delivery.ACCEPTED if turn.asker is None else turn.asker.tell(event)
            self._tell_watchers(event)
            return asked if isinstance(event, ApprovalAsked) else Delivery.ACCEPTED

    def over(self, result: TurnResult) -> None:
        """The turn has ended with ``result``: who watches and saw it begin is told."""
        with self._lock:
            self._end(result)

    def lost(self, brake: TurnBrake, sentence: str) -> None:
        """The turn that ``brake`` ends came to nothing that is known; nothing when it is over already."""
        with self._lock:
            if self._turn is not None and self._turn.brake is brake:
                self._end_lost(sentence)

    # The loop's.

    @property
    def busy(self) -> bool:
        """Whether a turn runs."""
        return self._turn is not None

    def stop(self) -> bool:
        """End the running turn; False when none runs."""
        turn = self._turn
        if turn is None or turn.brake.over:
            return False
        turn.brake.pull()  # not under the lock: it runs what the turn's thread is to be woken by
        return True

    # Under the lock.

    def _end_lost(self, sentence: str) -> None:
        started = None if self._turn is None else self._turn.so_far.started
        if started is not None:
            self._end(_unknown(started, sentence))
        self._turn = None

    def _end(self, result: TurnResult) -> None:
        turn, self._turn = self._turn, None
        if turn is not None and turn.so_far.started is not None:
            self._tell_watchers(TurnOver(result=result))

    def _tell_watchers(self, event: TurnEvent) -> None:
        gone = [seat for seat in self._watchers if seat.tell(event) is Delivery.CLOSED]
        if gone:
            self._watchers = [seat for seat in self._watchers if seat not in gone]


def _unknown(started: TurnStarted, sentence: str) -> TurnResult:
    """A turn of which nobody knows more than that it began; its label may be any, so it is the top."""
    return TurnResult(
        session=started.session,
        turn=started.turn,
        reply=None,
        failed=sentence,
        tools=(),
        label=TOP,
        usage=Usage(),
    )
