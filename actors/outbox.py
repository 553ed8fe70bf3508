"""Outbox: sends what the ledger holds to Honcho, however long Honcho is away (spec 4.7).

First form. Rows of one session go in order, and a session whose row fails lets the others pass. A row that
may have been sent before, by this process or the one before it, is looked up in Honcho before it is sent
again, so no turn is there twice or missing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never

from loguru import logger

from actors.base import Actor, Context, Refusal, Timer
from bxcore.backoff import Backoff, delay_s
from bxcore.decide import Send, Workspace
from bxcore.finished_turns import finished_turns
from bxcore.messages.outbox import Deliver, LookAgain, OutboxMessage, SendNext
from bxcore.outgoing import Part, batches, parts
from bxcore.turn_decisions import Decided
from bxio.deadline_http import Cut
from bxio.honcho import HonchoClient, HonchoUnavailable, NewMessage
from bxio.honcho.errors import NoSuchWorkspace, NotFound, Refused
from bxio.journal_file import JournalError
from bxio.session_store import SessionError, SessionStore
from bxio.turn_ledger import DeliveryMarks, to_send

HELD = 1000
"""Rows held at hand; the ledger keeps the others until these are sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Where it sends and what it reads. ``workspaces`` are the server-side names of this agent's own two."""

    client: HonchoClient
    workspaces: Mapping[Workspace, str]
    agent: str
    ledger: Path
    marks: Path
    sessions: SessionStore
    request_s: float = 10.0
    backoff: Backoff = field(default_factory=lambda: Backoff(first_s=0.5, most_s=60.0))


@dataclass(slots=True)
class _Waiting:
    """A row that waits; ``maybe_sent`` once it may have reached Honcho unnoticed."""

    row: Decided
    maybe_sent: bool


class Outbox(Actor):
    """A network child: it may block for one request, which ``cut`` ends."""

    def __init__(self, context: Context, *, delivery: Delivery) -> None:
        super().__init__(context)
        self._world = context.runtime.world
        self._delivery = delivery
        self._cut = Cut()
        self._marks: DeliveryMarks | None = None
        self._sessions: OrderedDict[str, dict[int, _Waiting]] = OrderedDict()
        """The rows that wait by session and turn; the session to be served next comes first."""
        self._held = 0
        self._more_in_ledger = False
        self._failures = 0
        self._next: Timer | None = None

    def on_start(self) -> None:
        """Read what waits from the ledger; what was attempted before is not known, so all is looked up."""
        try:
            self._marks = DeliveryMarks.open(self._delivery.marks)
            self._read_ledger()
        except JournalError as error:
            self.on_stop()
            raise Refusal(error.sentence) from None

    def on_stop(self) -> None:
        """Close the marks."""
        if self._marks is not None:
            self._marks.close()

    def cut(self) -> None:
        """Shut down the request on its way. Any thread."""
        self._cut.cut()

    def on_receive(self, message: OutboxMessage) -> None:
        """Take in rows, or send the next one."""
        match message:
            case Deliver():
                self._hold(message.rows, maybe_sent=False)
            case LookAgain():
                self._read_ledger()
            case SendNext():
                self._next = None
                self._send_next()
            case _:
                assert_never(message)
        self._go_on()

    def facts(self) -> Mapping[str, str | int | float]:
        """Turns at hand that wait, and failures in a row."""
        return {"waiting": self._held, "failures": self._failures}

    # What waits.

    def _read_ledger(self) -> None:
        self._more_in_ledger = False
        self._hold(to_send(self._delivery.ledger), maybe_sent=True)
        self._go_on()

    def _hold(self, rows: Iterable[Decided], *, maybe_sent: bool) -> None:
        """Keep rows that are neither done nor held, up to the bound; the ledger remembers the rest."""
        assert self._marks is not None
        for row in rows:
            if not isinstance(row.action, Send) or self._marks.done(row):
                continue
            if row.turn in self._sessions.get(row.session, ()):
                continue
            self._more_in_ledger = self._more_in_ledger or self._held >= HELD
            if self._more_in_ledger:
                return
            self._sessions.setdefault(row.session, {})[row.turn] = _Waiting(row, maybe_sent)
            self._held += 1

    def _go_on(self) -> None:
        """Have the next row come up: at once, or after a rest while Honcho fails."""
        if self._next is not None or not (self._sessions or self._more_in_ledger):
            return
        rest_s = 0.0
        if self._failures:
            rest_s = delay_s(self._delivery.backoff, self._failures, self._world.random())
        self._next = self.tell_later(rest_s, SendNext())

    # Sending.

    def _send_next(self) -> None:
        if not self._sessions:
            self._read_ledger()
            return
        session, waiting = next(iter(self._sessions.items()))
        self._sessions.move_to_end(session)
        first = waiting[min(waiting)]
        try:
            self._send(first)
        except HonchoUnavailable as error:
            self._failed(first, error)
        except (JournalError, SessionError) as error:
            self._failures += 1
            logger.error("outbox: turn {} of session {}: {}", first.row.turn, session, error.sentence)
        else:
            self._failures = 0
            self._drop(first.row)

    def _failed(self, waiting: _Waiting, error: HonchoUnavailable) -> None:
        """A refusal is for good; after anything else the row may be there, and is tried again."""
        row = waiting.row
        if isinstance(error, Refused):
            logger.error("outbox: turn {} of session {} is given up: {}", row.turn, row.session, error)
            self._done(row, gave_up=str(error))
            self._drop(row)
            return
        waiting.maybe_sent = True
        self._failures += 1
        if self._failures == 1:
            logger.warning("outbox: {} turns wait for honcho: {}", self._held, error)

    def _send(self, waiting: _Waiting) -> None:
        row, action = waiting.row, waiting.row.action
        assert isinstance(action, Send)
        wanted = self._parts(row, action)
        workspace = self._delivery.workspaces[action.workspace]
        if waiting.maybe_sent:
            wanted = tuple(part for part in wanted if not self._is_there(workspace, part))
        for batch in batches(wanted):
            self._append(workspace, row.session, batch)
            waiting.maybe_sent = True
        self._done(row)

    def _parts(self, row: Decided, action: Send) -> tuple[Part, ...]:
        """The turn's messages, from the session's log; none when that is gone."""
        records = self._delivery.sessions.read(row.session)
        found = [turn for turn in finished_turns(row.session, records) if turn.turn == row.turn]
        return parts(found[0], speaker=action.speaker, agent=self._delivery.agent) if found else ()

    def _is_there(self, workspace: str, part: Part) -> bool:
        """Whether Honcho holds a part; a workspace or session that it does not know holds none.

        The text counts too: a box that began anew may have had another turn of that number once.
        """
        try:
            found = self._delivery.client.find(
                workspace, part.session, part.metadata, self._deadline_s(), self._cut
            )
        except (NoSuchWorkspace, NotFound):
            return False
        return any(message.content == part.content for message in found)

    def _append(self, workspace: str, session: str, wanted: Sequence[Part]) -> None:
        messages = [
            NewMessage(
                peer=part.peer, content=part.content, metadata=part.metadata, created_at=part.at or None
            )
            for part in wanted
        ]
        self._delivery.client.append(workspace, session, messages, self._deadline_s(), self._cut)

    def _deadline_s(self) -> float:
        return self.now() + self._delivery.request_s

    def _done(self, row: Decided, *, gave_up: str | None = None) -> None:
        assert self._marks is not None
        self._marks.mark(row, gave_up=gave_up)

    def _drop(self, row: Decided) -> None:
        waiting = self._sessions[row.session]
        del waiting[row.turn]
        self._held -= 1
        if not waiting:
            del self._sessions[row.session]
