"""Broker: decides every tool call, has it run, and raises the session's label (spec 2.3).

It never waits for the memory, a runner or the owner: a call in hand is a continuation, and the calls of other
sessions go on. It does wait for the audit, a line each, because nothing may happen before that line is on
disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import assert_never

from actors.base import Actor, CallError, Context, Mailbox, Refusal
from actors.broker_approvals import BrokerApprovals
from actors.broker_deciding import Deciding
from actors.broker_grants import BrokerGrants, OwnersGrants
from actors.broker_running import NOT_AUDITED, BrokerRunning
from actors.broker_runs import Runs
from actors.broker_sessions import Held, Session, Sessions, Taken
from bxcore import call_records
from bxcore.address import Delivery
from bxcore.approvals import Approval, Ended, How, NotTaken, Over, as_typed, changed, sentences, still_binds
from bxcore.messages.audit import AuditMessage
from bxcore.messages.broker import (
    AnswerApproval,
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalClosed,
    ApprovalExpires,
    BrokerMessage,
    CallDone,
    ExplainCall,
    ListApprovals,
    ListGrants,
    ReloadGrants,
    SessionLabel,
    ToolRequest,
    WhatBecame,
)
from bxcore.policy import Ruling, Verdict
from bxcore.repeats import CALLS_PER_TURN
from bxcore.waits import Waits
from bxio.approval_journal import ApprovalJournal
from bxio.session_store import SessionStore

CUT_SHORT = (
    "the broker was restarted when this call had begun, so whether it took effect is unknown; "
    "it is not made again, tell the owner so"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``calls_per_turn`` and ``approval_s`` are those of ``[broker]``."""

    waits: Waits = field(default_factory=Waits)
    calls_per_turn: int = CALLS_PER_TURN
    approval_s: float = 600.0


class Broker(Actor):
    """Asks ``memory``, ``runner`` and ``audit``; reads the sessions' logs, and writes none.

    ``grants`` are read at each start and on ``ReloadGrants``; only the first start needs a good set.
    They and ``journal`` are of this process, over all incarnations. ``wall`` tells the time, with its zone.
    """

    def __init__(  # noqa: PLR0913 (its neighbours and what it is set to, all by name)
        self,
        context: Context,
        *,
        memory: Mailbox,
        audit: Mailbox,
        runner: Mailbox,
        sessions: SessionStore,
        settings: Settings,
        grants: OwnersGrants,
        journal: ApprovalJournal,
        wall: Callable[[], datetime],
    ) -> None:
        super().__init__(context)
        self._audit = audit
        self._settings = settings
        self._sessions = Sessions(sessions, settings.calls_per_turn)
        self._grants = BrokerGrants(grants, self._written, wall=wall)
        self._approvals = BrokerApprovals(
            journal, self._written, now=self.now, approval_s=settings.approval_s
        )
        self._deciding = Deciding(self._grants, self._approvals, wall, settings.calls_per_turn)
        runs = Runs(memory, runner, settings.waits)
        self._running = BrokerRunning(self._sessions, runs, self._written, pipe=self.pipe, now=self.now)
        self._held: dict[str, Held] = {}

    def on_start(self) -> None:
        """Read the grants and the approvals that wait. Raises ``BadGrants``."""
        self._grants.start()
        for approval in self._approvals.start():
            self._wake_for(approval)

    def on_stop(self) -> None:
        """Let go of the journal; what waits is in it."""
        self._approvals.stop()

    def on_receive(self, message: BrokerMessage) -> object:  # noqa: PLR0911, C901 (one case a message)
        """Decide a call, take in a result or the owner's word, or tell what is known."""
        match message:
            case ToolRequest():
                self._take(Taken(message, self.reply_later()))
            case SessionLabel(session=name):
                return self._sessions.get(name).label
            case CallDone():
                self._go_on(self._running.finish(message))
            case ApprovalExpires():
                self._close_what_is_over()
            case AnswerApproval():
                self._take_answer(message)
            case ListApprovals():
                return self._approvals.views()
            case ListGrants():
                return self._grants.view()
            case ReloadGrants():
                return self._grants.reload()
            case ExplainCall():
                return self._deciding.explain(message)
            case WhatBecame(session=name, calls=calls):
                return self._what_became(name, calls)
            case _:
                assert_never(message)
        return None

    def facts(self) -> Mapping[str, str | int | float]:
        """How many calls wait for the owner, run, and ran in all."""
        return {"asked": len(self._held), **self._running.facts()}

    # A call begins: in its session's order, decided, written down.

    def _take(self, taken: Taken) -> None:
        try:
            session = self._sessions.get(taken.request.session)
        except Refusal as refusal:
            if taken.reply is not None:
                taken.reply.fail(refusal)
            return
        self._close_what_is_over()  # a stop whose news had no room must not hold its session up
        if session.wait(taken):
            self._go_on(session)
        else:
            sentence = "this session has too many calls waiting; make fewer at once"
            taken.answer(session.outcome(taken.request, content=sentence))

    def _go_on(self, session: Session | None) -> None:
        """Begin what may begin now."""
        while session is not None and (taken := session.next()) is not None:
            self._begin(session, taken)

    def _begin(self, session: Session, taken: Taken) -> None:
        request = taken.request
        self._grants.make_known()
        held = Held(taken=taken, calls=session.counted(request.turn, self._settings.calls_per_turn))
        verdict = self._deciding.decide(held, session.label)
        sha256 = call_records.arguments_sha256(request, verdict)
        asked = self._approvals.state.of_call(request.session, request.call, request.tool, sha256)
        match asked:
            case Over(used=True):
                session.answer(taken, content=CUT_SHORT, canonical=verdict.canonical)
            case Over(ended=Ended(how=how)) if not how.approves:
                self._refuse(session, taken, verdict, sentences.for_model(how), rule=f"approval {how}")
            case Over():
                self._approved(session, held, asked)
            case Approval() if still_binds(asked, verdict, session.label):
                self._hold(session, held, asked)
            case Approval():
                ended = Ended(code=asked.code, how=How.WITHDRAWN)
                self._approvals.end(ended)
                _tell(taken, asked, ended)
                self._rule(session, held, verdict)
            case None:
                self._rule(session, held, verdict)

    def _rule(self, session: Session, held: Held, verdict: Verdict) -> None:
        taken = held.taken
        match verdict.outcome:
            case Ruling.REFUSE:
                self._refuse(session, taken, verdict, verdict.sentence or "")
            case Ruling.ALLOW:
                self._running.run(session, taken, verdict, None)
            case Ruling.ASK:
                approved = self._approvals.for_session(taken.request, verdict, session.label)
                if approved is not None:
                    self._running.run(session, taken, verdict, approved)
                else:
                    self._ask_the_owner(session, held, verdict)
            case _:
                assert_never(verdict.outcome)

    def _refuse(
        self, session: Session, taken: Taken, verdict: Verdict, sentence: str, *, rule: str | None = None
    ) -> None:
        """Audited, a failed result, and nothing else."""
        written = self._written(call_records.intent(taken.request, verdict, session.label, refused=rule))
        content = NOT_AUDITED.format(written) if isinstance(written, str) else sentence
        session.answer(taken, content=content, canonical=verdict.canonical)

    # The owner is asked.

    def _ask_the_owner(self, session: Session, held: Held, verdict: Verdict) -> None:
        opened = self._approvals.open(held.taken.request, verdict, session.label)
        if isinstance(opened, str):
            self._refuse(session, held.taken, verdict, opened, rule="approval not possible")
            return
        self._wake_for(opened)
        self._hold(session, held, opened)

    def _wake_for(self, approval: Approval) -> None:
        self.tell_later(max(0.0, approval.expires_s - self.now()), ApprovalExpires())

    def _hold(self, session: Session, held: Held, approval: Approval) -> None:
        """Tell who waits, and have them wait for longer. The question is on disk."""
        taken, box = held.taken, self.box
        self._held[approval.code] = held
        until_s = approval.expires_s + self._settings.waits.loop_call_s
        session.pending(until_s)
        if taken.reply is not None:
            if not taken.reply.extend(until_s):
                self._close(approval, How.WITHDRAWN)
                return
            taken.reply.on_abandon(lambda: box.tell(ApprovalExpires()))
        news = ApprovalAsked(session=approval.session, approval=self._approvals.view(approval))
        listener = taken.request.listener
        if listener is None or listener.tell(news) is not Delivery.ACCEPTED:
            self._close(approval, How.UNDELIVERABLE)

    def _close_what_is_over(self) -> None:
        """Expire what has expired, and withdraw what nobody waits for any more."""
        for approval in self._approvals.state.due(self.now()):
            self._close_and_go_on(approval, How.EXPIRED)
        for code in [code for code, held in self._held.items() if held.taken.given_up]:
            self._close_and_go_on(self._approvals.state.pending[code], How.WITHDRAWN)

    def _close_and_go_on(self, approval: Approval, how: How) -> None:
        self._go_on(self._close(approval, how))

    def _close(self, approval: Approval, how: How) -> Session | None:
        """It is over and the call does not run, whether or not that can be put on disk."""
        ended = Ended(code=approval.code, how=how)
        self._approvals.end(ended)
        return self._tell_end(approval, ended)

    def _tell_end(self, approval: Approval, ended: Ended) -> Session | None:
        """Tell who listens, and have the call run or answer it; the session whose call that was."""
        held = self._held.pop(approval.code, None)
        if held is None:
            return None
        _tell(held.taken, approval, ended)
        session = self._sessions.get(approval.session)
        if ended.how.approves:
            self._approved(session, held, Over(approval=approval, ended=ended))
        else:
            verdict = self._deciding.decide(held, session.label)
            sentence = sentences.for_model(ended.how)
            session.answer(held.taken, content=sentence, canonical=verdict.canonical)
        return session

    def _take_answer(self, message: AnswerApproval) -> None:
        """The first answer in time wins; it is on disk before anybody hears of it or the call runs."""
        reply = self.reply_later()
        self._close_what_is_over()
        code = as_typed(message.code)
        approval = self._approvals.state.pending.get(code)
        found = self._approvals.state.answer(
            code,
            approve=message.approve,
            for_session=message.for_session,
            by=call_records.short(message.by),
            now_s=self.now(),
        )
        failed = self._approvals.end(found, must=True) if isinstance(found, Ended) else None
        if reply is not None:
            reply.set(_answered(found, failed, waits=code in self._held))
        if approval is not None and isinstance(found, Ended) and failed is None:
            self._go_on(self._tell_end(approval, found))

    def _approved(self, session: Session, held: Held, over: Over) -> None:
        """Decide again: it only runs as what was approved."""
        verdict = self._deciding.decide(held, session.label)
        taken, another = held.taken, changed(over.approval, verdict, session.label)
        if verdict.outcome is Ruling.REFUSE:
            self._refuse(session, taken, verdict, verdict.sentence or "")
        elif another is not None:
            self._refuse(session, taken, verdict, sentences.changed(another), rule="changed since approved")
        elif (unwritten := self._approvals.use(over.approval.code)) is not None:
            self._refuse(session, taken, verdict, f"no call runs, {unwritten}", rule="not on disk")
        else:
            self._running.run(session, taken, verdict, over)

    def _written(self, record: AuditMessage) -> int | str:
        """Put a record on disk; its number, or a sentence why that could not be done."""
        try:
            number = self._audit.call(record, self._settings.waits.broker_audit_s)
        except (Refusal, CallError) as error:
            return error.sentence
        assert isinstance(number, int)
        return number

    def _what_became(self, name: str, calls: tuple[str, ...]) -> dict[str, str]:
        """The turn of these calls is over: what still waits for the owner is withdrawn."""
        for approval in [*self._approvals.state.pending.values()]:
            if approval.session == name and approval.call in calls:
                self._close_and_go_on(approval, How.WITHDRAWN)
        return self._approvals.state.became(name, calls)


def _tell(taken: Taken, approval: Approval, ended: Ended) -> None:
    """Tell who listens how it ended; who could not show the question need not hear."""
    listener = taken.request.listener
    if listener is not None and ended.how is not How.UNDELIVERABLE:
        listener.tell(
            ApprovalClosed(
                session=approval.session,
                code=approval.code,
                approved=ended.how.approves,
                sentence=sentences.for_person(ended),
            )
        )


def _answered(found: Ended | NotTaken, failed: str | None, *, waits: bool) -> ApprovalAnswered:
    """What who answered is told."""
    if isinstance(found, NotTaken):
        return ApprovalAnswered(taken=False, known=found.known, sentence=found.sentence)
    if failed is not None:
        return ApprovalAnswered(taken=False, known=True, sentence=f"{found.code} waits still, {failed}")
    away = "" if waits else "; its turn is not here at the moment, the call runs only if it comes back"
    return ApprovalAnswered(taken=True, known=True, sentence=sentences.for_person(found) + away)
