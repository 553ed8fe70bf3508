"""Which session is served next, and what becomes of it (spec 4.7); a room of ``actors/outbox.py``.

Each workspace has a circuit. A session that has trouble of its own rests by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from loguru import logger

from actors.outbox_parts import Delivery
from actors.outbox_sending import MOST_TIMES, Pack, Sender, There
from actors.outbox_waiting import Queue
from bxcore.backoff import Backoff
from bxcore.circuit import Circuit
from bxcore.delivery_marks import Fate
from bxcore.outbox_line import Line, Move, Waiting
from bxio.honcho import HonchoUnavailable
from bxio.honcho.errors import (
    GatewayFailed,
    Late,
    NoSuchRoute,
    NoSuchWorkspace,
    NotFound,
    Refused,
    Reset,
    ServerFailed,
    TokenRefused,
    TooManyRequests,
    Unreachable,
)
from bxio.honcho.server import BadName
from bxio.journal_file import JournalError
from bxio.session_store import SessionError

SURE = (Unreachable, TokenRefused, TooManyRequests, NoSuchRoute, NoSuchWorkspace, NotFound)
"""After these nothing of an append is there."""
LATER = (Late, Reset, GatewayFailed)
"""After these the server may still be at it."""
EXTRA = 0.25
"""How often there is a look-up more."""
FAILS_ALONE = "500 again and again, while others came through"


@dataclass(slots=True, kw_only=True)
class Steps:
    """Used by the outbox's thread. ``now`` is monotonic, in seconds; ``chance`` is in [0, 1)."""

    delivery: Delivery
    queue: Queue
    sender: Sender
    now: Callable[[], float]
    chance: Callable[[], float]
    circuits: dict[str, Circuit] = field(default_factory=dict)
    rests: dict[str, Circuit] = field(default_factory=dict)
    """Of sessions that have trouble of their own."""
    appended: int = 0
    """Appends that came through."""

    # Which.

    def next(self) -> tuple[str | None, float]:
        """The session to serve, and from when on: the first that is due, else the next that will be."""
        self._tidy()
        now_s, chosen, chosen_s = self.now(), None, float("inf")
        for session in self._sessions():
            due_s = self._due_s(session)
            if due_s <= now_s:
                return session, now_s
            if due_s < chosen_s:
                chosen, chosen_s = session, due_s
        return chosen, chosen_s

    def _tidy(self) -> None:
        """What nothing waits for is no trouble."""
        if not self.queue.waiting and not self.queue.erase:
            self.circuits.clear()
        here = self.queue.lines.keys() | self.queue.erase.keys()
        for session in self.rests.keys() - here:
            del self.rests[session]

    def settle(self) -> None:
        """Let what another life of the box sent come to its end before it is looked up."""
        until_s = self.now() + self.delivery.settle_s
        self.rests = {session: Circuit(until_s=until_s) for session in self._sessions()}

    def _sessions(self) -> Iterator[str]:
        yield from self.queue.erase
        yield from (session for session in self.queue.lines if session not in self.queue.erase)

    def _due_s(self, session: str) -> float:
        if session in self.queue.erase:
            ways = list(self.delivery.workspaces.values())
        else:
            ways = [self.sender.workspace(self.queue.lines[session].rows[0])]
        rest = self.rests.get(session, Circuit())
        return max(rest.until_s, *(self.circuit(way).until_s for way in ways))

    def circuit(self, workspace: str) -> Circuit:
        """The way to a workspace, as the server calls it."""
        return self.circuits.get(workspace, Circuit())

    def at_once(self) -> None:
        """Rest no longer."""
        self.rests.clear()
        self.circuits = {name: circuit.at_once() for name, circuit in self.circuits.items()}

    def why(self, waiting: Waiting) -> str:
        """Why a turn waits, empty when it is about to be sent."""
        rest = self.rests.get(waiting.key.session, Circuit())
        return rest.why or self.circuit(self.sender.workspace(waiting)).why

    # What.

    def serve(self, session: str) -> None:
        """Erase it, or look up or append some turns of it: a single failure ends the step."""
        self.queue.turn_to_next(session)
        try:
            if session in self.queue.erase:
                self._erase(session)
            else:
                self._move(session, self.queue.lines[session])
        except (JournalError, SessionError) as error:
            self._rest(session, error.sentence, self.delivery.backoff)
            logger.error("outbox: session {}: {}", session, error.sentence)

    def _erase(self, session: str) -> None:
        orders = self.queue.erase[session]
        generation = self.queue.orders.by_session[session].index(orders[0])
        for workspace in dict.fromkeys(self.delivery.workspaces.values()):
            try:
                self.sender.erase(workspace, session, generation)
            except HonchoUnavailable as error:
                self._failed(workspace, error)
                return
            self._answers(workspace)
        self.sender.erased(orders[0])
        del orders[0]
        if not orders:
            del self.queue.erase[session]

    def _move(self, session: str, line: Line) -> None:
        if line.maybe:
            self._resolve(session, line)
            return
        match line.move(self.appended):
            case Move.SEND:
                self._send(session, line, line.next())
            case Move.PROBE:
                self._probe(line)
            case Move.WITNESS:
                witness = line.witness()
                self.sender.mark(witness, Fate.SENDING)
                self._send(session, line, [witness])
            case Move.PARK:
                self._park(line, line.rows[0], FAILS_ALONE)

    def _probe(self, line: Line) -> None:
        first = line.rows[0]
        try:
            self.sender.probe(first)
        except HonchoUnavailable as error:
            self._failed(self.sender.workspace(first), error)
            return
        self._answers(self.sender.workspace(first))
        line.probed()

    def _send(self, session: str, line: Line, batch: list[Waiting]) -> None:
        first = batch[0]
        there: There = frozenset()
        if line.looked_up_alone(first):
            found = self._look_up(first)
            if found is None:
                return
            there = found
            if not there:
                line.absent(first)
        pack = self.sender.pack(session, batch)
        try:
            appended = self.sender.send(pack, there)
        except Refused as error:
            self._well(first)  # it looked at what was sent
            self._refused(line, pack, str(error))
        except BadName:
            self._refused(line, pack, "a name that Honcho does not take")
        except HonchoUnavailable as error:
            self._append_failed(session, line, pack, error)
        else:
            if appended:
                line.absent(first)
                self._well(first)
            self._arrived(line, pack, appended=appended)

    def _resolve(self, session: str, line: Line) -> None:
        """See what became of an append whose end was unclear: it is there whole or not at all.

        Now and then there is one look-up more, whatever it says: else a server that fails each n-th request
        could keep step with the look-ups, and fail at every append.
        """
        turns = line.maybe
        there = self._is_there(session, turns[0])
        if there is None:
            return
        line.maybe = ()
        if there and len(turns) > 1:
            self._arrived(line, Pack(turns, (), frozenset()), appended=True)
        elif there:  # in several appends, so that some of its parts may be missing
            line.apart.add(turns[0].key)
        elif self.chance() < EXTRA:
            self._look_up(turns[-1])

    def _is_there(self, session: str, waiting: Waiting) -> bool | None:
        """Whether any part of a turn is there; None when nobody could say."""
        there = self._look_up(waiting)
        if there is None:
            return None
        wanted = {(part.number, part.content) for part in self.sender.pack(session, [waiting]).parts}
        return bool(wanted & there)

    def _look_up(self, waiting: Waiting) -> There | None:
        workspace = self.sender.workspace(waiting)
        try:
            there = self.sender.there(waiting)
        except HonchoUnavailable as error:  # of a question, which says nothing of what is to be sent
            self._failed(workspace, error)
            return None
        self._answers(workspace)
        return there

    # What became of it.

    def _arrived(self, line: Line, pack: Pack, *, appended: bool) -> None:
        self.sender.delivered(pack)
        if appended:
            self.appended += 1
            self.sender.times = max(1, self.sender.times // 2)
        line.sent(pack.turns)
        self.queue.gone(pack.turns)
        self.rests.pop(pack.turns[0].key.session, None)

    def _refused(self, line: Line, pack: Pack, why: str) -> None:
        found = line.refused(list(pack.turns))
        if found is not None:
            self._park(line, found, why)

    def _append_failed(self, session: str, line: Line, pack: Pack, error: HonchoUnavailable) -> None:
        workspace, first = self.sender.workspace(pack.turns[0]), line.rows[0]
        if pack.in_pieces or not isinstance(error, SURE):
            line.maybe = pack.turns
        if isinstance(error, NoSuchWorkspace):
            self._make(workspace)
        elif isinstance(error, LATER):
            settle_s = self.delivery.settle_s
            self._rest(session, str(error), Backoff(first_s=2 * settle_s, most_s=2 * settle_s))
        elif isinstance(error, ServerFailed):
            line.failed(list(pack.turns), self.appended)
            if pack.turns == (first,):
                self._rest(session, str(error), self.delivery.backoff)
                self._failed(workspace, error, suspected=True)
                return
        self._failed(workspace, error)

    def _make(self, workspace: str) -> None:
        try:
            self.sender.make_workspace(workspace)
        except HonchoUnavailable as error:
            logger.warning("outbox: workspace {} cannot be made: {}", workspace, error)

    def _park(self, line: Line, waiting: Waiting, why: str) -> None:
        self.sender.mark(waiting, Fate.PARKED, why)
        line.parked(waiting)
        self.queue.gone([waiting])
        self.rests.pop(waiting.key.session, None)
        logger.error(
            "outbox: turn {} of session {} is parked: {}", waiting.row.turn, waiting.row.session, why
        )

    def _failed(self, workspace: str, error: HonchoUnavailable, *, suspected: bool = False) -> None:
        """Open the circuit; what is not the fault of a suspect is a doubt about all of them."""
        if isinstance(error, Late):
            self.sender.times = min(MOST_TIMES, 2 * self.sender.times)
        circuit = self.circuit(workspace)
        if not circuit.failures:
            logger.warning("outbox: {} turns wait for honcho: {}", self.queue.waiting, error)
        self.circuits[workspace] = circuit.failed(
            str(error),
            self.now(),
            backoff=self.delivery.backoff,
            chance=self.chance(),
            asked_s=error.retry_after_s,
        )
        if not suspected:
            for line in self.queue.lines.values():
                line.doubted()

    def _answers(self, workspace: str) -> None:
        """It answers; whether it stores is seen at the next append."""
        if workspace in self.circuits:
            self.circuits[workspace] = self.circuits[workspace].at_once()

    def _well(self, waiting: Waiting) -> None:
        if self.circuits.pop(self.sender.workspace(waiting), Circuit()).failures:
            logger.info("outbox: honcho takes turns again")

    def _rest(self, session: str, why: str, backoff: Backoff) -> None:
        rest = self.rests.get(session, Circuit())
        self.rests[session] = rest.failed(why, self.now(), backoff=backoff, chance=self.chance())
