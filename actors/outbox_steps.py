"""Which session is served next, and what becomes of it (spec 4.7); a room of ``actors/outbox.py``.

Each workspace has a circuit. A session that has trouble of its own rests by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from loguru import logger

from actors.outbox_erasing import carried_out, erase
from actors.outbox_failures import LASTING, LATER, SURE
from actors.outbox_parts import Delivery
from actors.outbox_sending import MOST_TIMES, Pack, Sender, There
from actors.outbox_waiting import Queue
from actors.outbox_ways import Ways
from bxcore.delivery_marks import Fate
from bxcore.outbox_line import Line, Move, Waiting
from bxcore.outbox_parking import FAILS_ALONE, REFUSED_ALL
from bxio.honcho import HonchoUnavailable
from bxio.honcho.errors import Late, NoSuchWorkspace, Refused, ServerFailed, TooLarge
from bxio.honcho.server import BadName
from bxio.journal_file import JournalError
from bxio.session_store import SessionError

EXTRA = 0.25
"""How often there is a look-up more."""


@dataclass(slots=True, kw_only=True)
class Steps:
    """Used by the outbox's thread."""

    delivery: Delivery
    queue: Queue
    sender: Sender
    ways: Ways
    appended: int = 0
    """Appends that came through."""
    refused: dict[str, int] = field(default_factory=dict)
    """Turns that were parked because they were refused since a workspace took one; by workspace."""

    # Which.

    def next(self) -> tuple[str | None, float]:
        """The session to serve, and from when on: the first that is due, else the next that will be."""
        self.ways.tidy([*self._sessions()])
        now_s, chosen, chosen_s = self.ways.now(), None, float("inf")
        for session in self._sessions():
            due_s = self._due_s(session)
            if due_s <= now_s:
                return session, now_s
            if due_s < chosen_s:
                chosen, chosen_s = session, due_s
        return chosen, chosen_s

    def settle(self) -> None:
        """Let what another life of the box sent come to its end before it is looked up."""
        self.ways.begin_later(self._sessions(), self.delivery.settle_s)

    def _sessions(self) -> Iterator[str]:
        yield from self.queue.erase
        yield from (session for session in self.queue.lines if session not in self.queue.erase)

    def _due_s(self, session: str) -> float:
        if session in self.queue.erase:
            return self.ways.due_s(session, self.delivery.workspaces.values())
        return self.ways.due_s(session, [self.sender.workspace(self.queue.lines[session].rows[0])])

    def why(self, waiting: Waiting) -> str:
        """Why a turn waits, empty when it is about to be sent."""
        why = self.ways.why(waiting.key.session, self.sender.workspace(waiting))
        line = self.queue.lines.get(waiting.key.session)
        if line is None or not line.suspected or waiting is not line.rows[0]:
            return why
        times = "once" if line.suspected == 1 else f"{line.suspected} times"
        return f"{line.cause}: {times} for this turn alone; it is parked if the server takes others, not it"

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
            self.ways.rest(session, error.sentence, lasting=True)
            logger.error("outbox: session {}: {}", session, error.sentence)

    def _erase(self, session: str) -> None:
        for workspace in dict.fromkeys(self.delivery.workspaces.values()):
            try:
                erase(self.queue, self.sender, workspace, session)
            except HonchoUnavailable as error:
                self._failed(workspace, error)
                return
            self.ways.answers(workspace)
        carried_out(self.queue, self.sender, session)

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
                self._park(line, line.rows[0], line.cause)

    def _probe(self, line: Line) -> None:
        first = line.rows[0]
        try:
            self.sender.probe(first)
        except HonchoUnavailable as error:
            self._failed(self.sender.workspace(first), error)
            return
        self.ways.answers(self.sender.workspace(first))
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
        pack = self.sender.pack(session, batch, singly=first.key in line.singly)
        try:
            appended = self.sender.send(pack, there)
        except (Refused, TooLarge) as error:
            self._refused(session, line, pack, error)
        except BadName:
            parked = line.refused(list(pack.turns))
            if parked is not None:
                self._park(line, parked, "a name that Honcho does not take")
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
        elif self.ways.chance() < EXTRA:
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
        self.ways.answers(workspace)
        return there

    # What became of it.

    def _arrived(self, line: Line, pack: Pack, *, appended: bool) -> None:
        self.sender.delivered(pack)
        if appended:
            self.appended += 1
            self.refused.pop(self.sender.workspace(pack.turns[0]), None)
            self.sender.times = max(1, self.sender.times // 2)
        line.sent(pack.turns)
        self.queue.gone(pack.turns)
        self.ways.goes(pack.turns[0].key.session)

    @property
    def all_refused(self) -> bool:
        """Whether a workspace refuses every turn."""
        return any(map(self._refuses_all, self.refused))

    def _refuses_all(self, workspace: str) -> bool:
        """Whether so many turns were refused in a row that it says nothing of what they hold."""
        return self.refused.get(workspace, 0) >= REFUSED_ALL

    def _refused(self, session: str, line: Line, pack: Pack, error: Refused | TooLarge) -> None:
        """Send less, or park what is found; where all is refused, a turn is only suspected as after a 500."""
        turns, workspace = list(pack.turns), self.sender.workspace(pack.turns[0])
        if isinstance(error, TooLarge):
            found = line.too_large(turns, max(map(len, pack.appends()), default=1))
        else:
            found = line.refused(turns)
        if not self._refuses_all(workspace):
            self._well(pack.turns[0])  # it looked at what was sent
            if found is not None:
                self.refused[workspace] = self.refused.get(workspace, 0) + 1
                self._park(line, found, str(error))
        elif found is not None:
            if pack.in_pieces:
                line.apart.add(found.key)
            self._suspect(session, line, pack, error)

    def _suspect(self, session: str, line: Line, pack: Pack, error: HonchoUnavailable) -> None:
        """Hold it against the first turn of the line, if that went alone, and against nothing else."""
        alone = pack.turns == (line.rows[0],)
        line.failed(list(pack.turns), self.appended)
        if alone:
            line.cause = FAILS_ALONE if isinstance(error, ServerFailed) else str(error)
            self.ways.rest(session, str(error))
        self._failed(self.sender.workspace(pack.turns[0]), error, suspected=alone)

    def _append_failed(self, session: str, line: Line, pack: Pack, error: HonchoUnavailable) -> None:
        workspace = self.sender.workspace(pack.turns[0])
        if pack.in_pieces or not isinstance(error, SURE):
            line.maybe = pack.turns
        if isinstance(error, NoSuchWorkspace):
            self._make(workspace, error)
            return
        if isinstance(error, LATER):
            self.ways.settle(session, str(error), self.delivery.settle_s)
        elif isinstance(error, ServerFailed):
            self._suspect(session, line, pack, error)
            return
        self._failed(workspace, error)

    def _make(self, workspace: str, missing: NoSuchWorkspace) -> None:
        """Make a workspace that is missing; the next append goes there."""
        try:
            self.sender.make_workspace(workspace)
        except HonchoUnavailable as error:
            why = NoSuchWorkspace(missing.status, detail=f"{missing.kind}, and it cannot be made: {error}")
            self._failed(workspace, why, lasting=isinstance(error, (*LASTING, Refused)))
        else:
            self._failed(workspace, missing)

    def _park(self, line: Line, waiting: Waiting, why: str) -> None:
        self.sender.mark(waiting, Fate.PARKED, why)
        line.parked(waiting)
        self.queue.gone([waiting])
        self.ways.goes(waiting.key.session)
        logger.error(
            "outbox: turn {} of session {} is parked: {}", waiting.row.turn, waiting.row.session, why
        )

    def _failed(
        self, workspace: str, error: HonchoUnavailable, *, suspected: bool = False, lasting: bool = False
    ) -> None:
        """Open the circuit; what is not the fault of a suspect is a doubt about all of them."""
        if isinstance(error, Late):
            self.sender.times = min(MOST_TIMES, 2 * self.sender.times)
        lasting = lasting or isinstance(error, LASTING)
        if self.ways.failed(workspace, str(error), error.retry_after_s, lasting=lasting):
            logger.warning("outbox: {} turns wait for honcho: {}", self.queue.waiting, error)
        if not suspected:
            for line in self.queue.lines.values():
                line.doubted()

    def _well(self, waiting: Waiting) -> None:
        if self.ways.stores(self.sender.workspace(waiting)):
            logger.info("outbox: honcho takes turns again")
