"""One step of delivery: look a turn up, append, erase a session (spec 4.7); a room of ``actors/outbox.py``.

It says what it did by marks on disk, and raises ``HonchoUnavailable``, ``JournalError`` or ``SessionError``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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


There: TypeAlias = frozenset[tuple[object, str]]
"""Parts that Honcho holds: their numbers and texts. A box that began anew may have had such a turn before."""


@dataclass(frozen=True, slots=True)
class Sent:
    """Turns that are in Honcho now; whether anything had to be appended for it."""

    turns: tuple[Waiting, ...]
    appended: bool


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

    def send(self, session: str, batch: Sequence[Waiting], there: There) -> Sent:
        """Append turns of one session and mark them, but for the parts that are ``there``.

        As many as one append takes, or one turn in several.
        """
        log = self._read(session)
        done: list[Waiting] = []
        wanted: list[Part] = []
        for waiting in batch:
            found = [part for part in self._parts(log, waiting) if (part.number, part.content) not in there]
            if done and len(list(batches([*wanted, *found]))) > 1:
                break
            wanted += found
            done.append(waiting)
        self._append(done[0], wanted)
        self._marks.add(*(_mark(waiting, log) for waiting in done))
        return Sent(tuple(done), appended=bool(wanted))

    def there(self, waiting: Waiting) -> There:
        """Look up which parts of one turn Honcho holds."""
        row = waiting.row
        try:
            found = self._delivery.client.find(
                self._workspace(waiting),
                _name(waiting.key),
                turn_metadata(row.session, row.log, row.turn),
                self._deadline_s(),
                self._cut,
            )
        except (NoSuchWorkspace, NotFound):
            return frozenset()
        return frozenset((message.metadata.get("part"), message.content) for message in found)

    def park(self, waiting: Waiting, why: str) -> None:
        """Put a turn aside, on disk."""
        self._marks.add(mark_of(waiting, Fate.PARKED, why))

    def erase(self, order: EraseOrder, generation: int) -> None:
        """Take a session out of both own workspaces, as it is called there before the order."""
        for workspace in dict.fromkeys(self._delivery.workspaces.values()):
            name = session_id(order.session, generation)
            self._delivery.client.delete_session(workspace, name, self._deadline_s(), self._cut)
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

    def _read(self, session: str) -> _Log:
        records = self._delivery.sessions.read(session)
        return _Log(log_of(records), {turn.turn: turn for turn in finished_turns(session, records)})

    def _parts(self, log: _Log, waiting: Waiting) -> tuple[Part, ...]:
        """The turn's messages; none when its log is gone, or another one has its name now."""
        action, turn = waiting.row.action, log.turn_of(waiting)
        assert isinstance(action, Send)
        if turn is None:
            return ()
        return parts(turn, speaker=action.speaker, agent=self._delivery.agent, log=log.name)

    def _append(self, first: Waiting, wanted: Iterable[Part]) -> None:
        for batch in batches(wanted):
            messages = [
                NewMessage(
                    peer=part.peer, content=part.content, metadata=part.metadata, created_at=part.at or None
                )
                for part in batch
            ]
            self._delivery.client.append(
                self._workspace(first), _name(first.key), messages, self._deadline_s(), self._cut
            )

    def _workspace(self, waiting: Waiting) -> str:
        action = waiting.row.action
        assert isinstance(action, Send)
        return self._delivery.workspaces[action.workspace]

    def _deadline_s(self) -> float:
        return self._now() + self._delivery.request_s


def _mark(waiting: Waiting, log: _Log) -> Mark:
    if log.turn_of(waiting) is None:
        return mark_of(waiting, Fate.DROPPED, GONE)
    return Mark(key=waiting.key, fate=Fate.DELIVERED)


def mark_of(waiting: Waiting, fate: Fate, why: str) -> Mark:
    """A mark that an operator may look at."""
    action = waiting.row.action
    workspace = action.workspace.value if isinstance(action, Send) else ""
    return Mark(key=waiting.key, fate=fate, why=why, workspace=workspace, at=waiting.row.at)


def _name(key: Key) -> str:
    return session_id(key.session, key.generation)
