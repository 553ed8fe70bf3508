"""A call that may run: its intent on disk, the order given, its outcome on disk, its answer (spec 2.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from actors.base import Outcome as Came
from actors.base import Reply
from actors.broker_runs import Order, Runs
from actors.broker_sessions import Session, Sessions, Taken
from bxcore import call_records
from bxcore.approvals import Over
from bxcore.messages.audit import AuditMessage, Outcome
from bxcore.messages.broker import CallDone
from bxcore.policy import Verdict

NOT_AUDITED = "no call runs, the audit cannot be written: {}"
WITHHELD = "the call ran, but its result is withheld, the audit cannot be written: {}"

Pipe = Callable[[list[Reply], float, Callable[[list[Came]], CallDone]], object]
Write = Callable[[AuditMessage], int | str]
"""Puts a record on disk and gives its number, or a sentence when that could not be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Running:
    """A call that somebody runs."""

    taken: Taken
    verdict: Verdict
    order: Order
    began_s: float


class BrokerRunning:
    """The calls that run; ``pipe`` is the actor's own, ``now`` its clock."""

    def __init__(
        self, sessions: Sessions, runs: Runs, write: Write, *, pipe: Pipe, now: Callable[[], float]
    ) -> None:
        self._sessions = sessions
        self._runs = runs
        self._write = write
        self._pipe = pipe
        self._now = now
        self._running: dict[str, _Running] = {}
        self._number = 0

    def facts(self) -> Mapping[str, int]:
        """How many calls run, and ran in all."""
        return {"calls_running": len(self._running), "calls": self._number}

    def run(self, session: Session, taken: Taken, verdict: Verdict, approval: Over | None) -> None:
        """Give the order once the intent is on disk; what becomes of it comes as a ``CallDone``."""
        record = call_records.intent(taken.request, verdict, session.label, approval=approval)
        written = self._write(record)
        if isinstance(written, str):
            session.answer(taken, content=NOT_AUDITED.format(written), canonical=verdict.canonical)
            return
        self._number += 1
        key = f"{self._number}"
        order = self._runs.order(taken.request, verdict, session.label)
        self._running[key] = _Running(taken=taken, verdict=verdict, order=order, began_s=self._now())
        asked = order.ask(self._now())
        if taken.reply is not None and order.abandons:
            taken.reply.on_abandon(asked.abandon)  # a stopped turn; an edit is seen through, to be known
        self._pipe([asked], asked.deadline_s, lambda outcomes: CallDone(key=key, outcome=outcomes[0]))

    def finish(self, message: CallDone) -> Session:
        """Raise the label, write the outcome down, and only then answer; whose call it was."""
        running = self._running.pop(message.key)
        request, verdict = running.taken.request, running.verdict
        session = self._sessions.get(request.session)
        answer = running.order.answer(message.outcome)
        label = answer.under(verdict.floor)
        before = session.raised(label)
        written = self._write(
            Outcome(
                session=request.session,
                call=call_records.short(request.call),
                outcome=answer.outcome,
                label_before=before,
                label_after=session.label,
                duration_ms=round((self._now() - running.began_s) * 1000),
            )
        )
        if isinstance(written, str):
            answer = replace(answer, ok=False, content=WITHHELD.format(written))
        session.answer(
            running.taken,
            content=answer.content,
            canonical=verdict.canonical,
            ok=answer.ok,
            label=label,
            audited=written if isinstance(written, int) else None,
        )
        return session
