"""What an operator sees of the outbox and may do to a turn (spec 4.7); a room of ``actors/outbox.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from actors.outbox_parts import Delivery
from actors.outbox_sending import mark_of
from actors.outbox_steps import Steps
from bxcore.decide import Send
from bxcore.delivery_marks import Fate, Mark
from bxcore.memory_views import OutboxRow, OutboxView, Told
from bxcore.outbox_facts import OutboxFacts
from bxcore.outbox_line import Waiting
from bxio.turn_ledger import DeliveryMarks

SAVES_NOTHING = "[honcho] save is false"


class Operator:
    """Used by the outbox's thread. ``wall`` gives seconds since 1970."""

    def __init__(
        self, delivery: Delivery, steps: Steps, marks: DeliveryMarks, wall: Callable[[], float]
    ) -> None:
        self._delivery = delivery
        self._steps = steps
        self._queue = steps.queue
        self._marks = marks
        self._wall = wall

    def show(self, limit: int, facts: OutboxFacts, next_try_s: float) -> OutboxView:
        """Everything that is not in Honcho, what is parked first."""
        rows = [*self._parked(), *self._waiting()]
        return OutboxView(
            waiting=facts.waiting,
            parked=facts.parked,
            oldest_s=facts.oldest_s,
            failing=facts.failing,
            next_try_s=next_try_s,
            rows=tuple(rows[: max(0, limit)]),
            queue=facts.queue,
        )

    def retry(self, wanted: str | None) -> Told:
        """Take parkings back, on disk, so that what was parked is tried in its place."""
        parked = self._marks.known.parked
        chosen = [key for key in parked if wanted is None or key.id == wanted]
        if wanted is not None and not chosen:
            if any(each.key.id == wanted for each in self._queue.rows()):
                return Told(ok=True, sentence=f"{wanted} was not parked; it is tried again now, in its place")
            return Told(ok=False, sentence=f"no turn {wanted} waits or is parked; {_SEE}", known=False)
        if chosen:
            self._marks.add(*(Mark(key=key, fate=Fate.RETRIED) for key in chosen))
            self._queue.retry(chosen, self._marks.known)
        return Told(ok=True, sentence=self._tried(wanted, len(chosen)))

    def _tried(self, wanted: str | None, parked: int) -> str:
        if wanted:
            return f"{wanted} is tried again now"
        waiting = self._queue.waiting
        if not waiting:
            return "no turn waits or is parked"
        turns = "1 turn is" if waiting == 1 else f"{waiting} turns are"
        return f"{turns} tried again now" + (f", {parked} of them parked before" if parked else "")

    def drop(self, wanted: str) -> Told:
        """Give a turn up for good, on disk."""
        parked = [mark for key, mark in self._marks.known.parked.items() if key.id == wanted]
        waiting = [each for each in self._queue.rows() if each.key.id == wanted]
        if not parked and not waiting:
            return Told(ok=False, sentence=f"no turn {wanted} waits or is parked; {_SEE}", known=False)
        why = "by the operator"
        self._marks.add(
            *(Mark(key=mark.key, fate=Fate.DROPPED, why=why) for mark in parked),
            *(mark_of(each, Fate.DROPPED, why) for each in waiting),
        )
        for each in waiting:
            self._queue.lines[each.key.session].parked(each)
        self._queue.gone(waiting)
        return Told(
            ok=True, sentence=f"{wanted} is dropped: Honcho never gets it; the session's log keeps it"
        )

    def oldest_s(self) -> float:
        """The age of the oldest turn at hand, 0.0 when none waits."""
        firsts = (line.rows[0].row.at for line in self._queue.lines.values())
        return max(map(self._age_s, firsts), default=0.0)

    def _parked(self) -> Iterator[OutboxRow]:
        for key, mark in self._marks.known.parked.items():
            yield OutboxRow(
                id=key.id,
                session=key.session,
                turn=key.turn,
                workspace=mark.workspace,
                state="parked",
                why=mark.why,
                age_s=self._age_s(mark.at),
            )

    def _waiting(self) -> Iterator[OutboxRow]:
        for waiting in sorted(self._queue.rows(), key=_place):
            action = waiting.row.action
            yield OutboxRow(
                id=waiting.key.id,
                session=waiting.key.session,
                turn=waiting.key.turn,
                workspace=action.workspace.value if isinstance(action, Send) else "",
                state="waiting",
                why=self._steps.why(waiting) if self._delivery.save else SAVES_NOTHING,
                age_s=self._age_s(waiting.row.at),
            )

    def _age_s(self, at: str) -> float:
        try:
            said = datetime.fromisoformat(at)
        except ValueError:
            return 0.0
        return max(0.0, self._wall() - said.timestamp())


_SEE = "bxctl memory outbox lists them"


def _place(waiting: Waiting) -> int:
    return waiting.place
