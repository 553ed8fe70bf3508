"""Single requests: look a turn up, append, erase (spec 4.7); a room of ``actors/outbox.py``.

It says what it did by marks on disk, and raises ``HonchoUnavailable``, ``JournalError`` or ``SessionError``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from actors.outbox_parts import Delivery
from bxcore.decide import Send, Workspace
from bxcore.delivery_marks import Erased, Fate, Key, Mark
from bxcore.erasing import EraseOrder
from bxcore.finished_turns import FinishedTurn, finished_turns
from bxcore.honcho_sessions import session_id
from bxcore.outbox_line import Waiting
from bxcore.outgoing import Part, batches, parts, turn_metadata
from bxcore.session_fold import log_of
from bxio.deadline_http import Cut
from bxio.honcho import NewMessage
from bxio.honcho.errors import NoSuchRoute, NoSuchWorkspace, NotFound
from bxio.turn_ledger import DeliveryMarks

GONE = "its log is gone"
MOST_TIMES = 4
"""A request's deadline grows up to so many times after time-outs."""

There: TypeAlias = frozenset[tuple[object, str]]
"""Parts that Honcho holds: their numbers and texts. A box that began anew may have had such a turn before."""


@dataclass(frozen=True, slots=True)
class Pack:
    """Turns that go in one append, or one turn in several; turns whose log is gone have no parts.

    With ``singly`` each part has an append of its own.
    """

    turns: tuple[Waiting, ...]
    parts: tuple[Part, ...]
    gone: frozenset[Key]
    singly: bool = False

    @property
    def in_pieces(self) -> bool:
        """Whether it takes several appends, so that a part of it may be there."""
        return len(self.appends()) > 1

    def appends(self, there: There = frozenset()) -> list[Sequence[Part]]:
        """The parts of each append, without those that are ``there``."""
        missing = [part for part in self.parts if (part.number, part.content) not in there]
        return [[part] for part in missing] if self.singly else [*batches(missing)]


@dataclass(frozen=True, slots=True)
class _Log:
    """A session's log as it is now: its own name, and the turns that came to a reply."""

    name: str
    turns: Mapping[int, FinishedTurn]

    def turn_of(self, waiting: Waiting) -> FinishedTurn | None:
        """The turn that waits; None when it is gone, or of a log of before."""
        return self.turns.get(waiting.row.turn) if self.name == waiting.row.log else None


class Sender:
    """Used by the outbox's thread. ``now`` is monotonic, in seconds; ``cut`` ends a request."""

    def __init__(self, delivery: Delivery, marks: DeliveryMarks, cut: Cut, now: Callable[[], float]) -> None:
        self._delivery = delivery
        self._marks = marks
        self._cut = cut
        self._now = now
        self._last: tuple[object, int, _Log] | None = None
        self.times = 1
        """How often ``request_s`` a request may take."""

    def pack(self, session: str, batch: Sequence[Waiting], *, singly: bool = False) -> Pack:
        """The first turns of a batch: as many as one append takes, or one; ``singly`` is its own."""
        log = self._read(session, min((waiting.row.turn for waiting in batch), default=1))
        done: list[Waiting] = []
        wanted: list[Part] = []
        for waiting in batch:
            found = self._parts(log, waiting)
            if done and len(list(batches([*wanted, *found]))) > 1:
                break
            wanted += found
            done.append(waiting)
        gone = frozenset(waiting.key for waiting in done if log.turn_of(waiting) is None)
        return Pack(tuple(done), tuple(wanted), gone, singly)

    def send(self, pack: Pack, there: There = frozenset()) -> bool:
        """Append what is not ``there``; whether there was anything."""
        first, appended = pack.turns[0], False
        for batch in pack.appends(there):
            messages = [
                NewMessage(
                    peer=part.peer, content=part.content, metadata=part.metadata, created_at=part.at or None
                )
                for part in batch
            ]
            self._delivery.client.append(
                self.workspace(first), _name(first.key), messages, self._deadline_s(), self._cut
            )
            appended = True
        return appended

    def delivered(self, pack: Pack) -> None:
        """Mark turns, on disk."""
        self._marks.add(
            *(
                mark_of(waiting, Fate.DROPPED, GONE)
                if waiting.key in pack.gone
                else Mark(key=waiting.key, fate=Fate.DELIVERED)
                for waiting in pack.turns
            )
        )

    def there(self, waiting: Waiting) -> There:
        """Look up which parts of one turn Honcho holds."""
        row = waiting.row
        try:
            found = self._delivery.client.find(
                self.workspace(waiting),
                _name(waiting.key),
                turn_metadata(row.session, row.log, row.turn),
                self._deadline_s(),
                self._cut,
            )
        except (NoSuchWorkspace, NotFound):
            return frozenset()
        return frozenset((message.metadata.get("part"), message.content) for message in found)

    def mark(self, waiting: Waiting, fate: Fate, why: str = "") -> None:
        """Put what became of a turn on disk."""
        self._marks.add(mark_of(waiting, fate, why))

    def probe(self, waiting: Waiting) -> None:
        """See whether the server does anything at all: have it make the session that the turn is for."""
        self._delivery.client.ensure_session(
            self.workspace(waiting), _name(waiting.key), self._deadline_s(), self._cut
        )

    def make_workspace(self, workspace: str) -> None:
        """Make it if it is not there; most servers make it with the first append."""
        self._delivery.client.ensure_workspace(workspace, self._deadline_s(), self._cut)

    def erase(self, workspace: str, session: str, generation: int) -> None:
        """Take a session out of a workspace, as it was called there after so many orders."""
        name = session_id(session, generation)
        self._delivery.client.delete_session(workspace, name, self._deadline_s(), self._cut)

    def erased(self, order: EraseOrder) -> None:
        """Mark an order as carried out in every workspace."""
        self._marks.add(Erased(order.id))

    def queue(self) -> tuple[tuple[str, str], ...]:
        """What Honcho has still to think about, per workspace; nothing of a server that does not say."""
        return tuple(
            (name, text)
            for name in (Workspace.TRUSTED, Workspace.UNTRUSTED)
            if (text := self._queue_of(self._delivery.workspaces[name]))
        )

    def _queue_of(self, workspace: str) -> str:
        try:
            status = self._delivery.client.queue_status(workspace, self._deadline_s(), self._cut)
        except (NoSuchRoute, NotFound, NoSuchWorkspace):
            return ""
        pending = status.pending_work_units + status.in_progress_work_units
        return f"Honcho thinks about {pending}" if pending else ""

    def forget(self) -> None:
        """Hold no text any longer."""
        self._last = None

    def _read(self, session: str, since: int) -> _Log:
        """The log from the epoch of a turn on; the last one is held while it stays as it is.

        For a long one goes in many appends.
        """
        found = self._delivery.sessions.find(session)
        if found is not None and self._last is not None:
            state, first, log = self._last
            if state == found and first <= since:
                return log
        records = self._delivery.sessions.read(session, since=since)
        log = _Log(log_of(records), {turn.turn: turn for turn in finished_turns(session, records)})
        self._last = (found, since, log)
        return log

    def _parts(self, log: _Log, waiting: Waiting) -> tuple[Part, ...]:
        """The turn's messages; none when its log is gone, or another one has its name now."""
        action, turn = waiting.row.action, log.turn_of(waiting)
        assert isinstance(action, Send)
        if turn is None:
            return ()
        return parts(turn, speaker=action.speaker, agent=self._delivery.agent, log=log.name)

    def workspace(self, waiting: Waiting) -> str:
        """Where a turn goes, as the server calls it."""
        action = waiting.row.action
        assert isinstance(action, Send)
        return self._delivery.workspaces[action.workspace]

    def _deadline_s(self) -> float:
        return self._now() + self._delivery.request_s * self.times


def mark_of(waiting: Waiting, fate: Fate, why: str) -> Mark:
    """A mark that an operator may look at."""
    action = waiting.row.action
    workspace = action.workspace.value if isinstance(action, Send) else ""
    return Mark(key=waiting.key, fate=fate, why=why, workspace=workspace, at=waiting.row.at)


def _name(key: Key) -> str:
    return session_id(key.session, key.generation)
