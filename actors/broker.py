"""Broker: decides every tool call, has it run, and raises the session's label (spec 2.3).

It never waits for the memory: a call in hand is a continuation, and the calls of other sessions go on. It
does wait for the audit, a line each, because nothing may happen before that line is on disk.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import assert_never

from actors.base import Actor, Answer, CallError, Context, Failed, Late, Mailbox, Refusal, Reply
from bxcore import policy, session_fold
from bxcore.args import ASK_MEMORY, RECALL, AskMemoryArgs, MemoryArgs, RecallArgs
from bxcore.grants import BUILT_IN, Grant
from bxcore.labels import OWN_WORDS, Label, Level, join
from bxcore.long_result import cut_middle
from bxcore.messages import audit, memory
from bxcore.messages.broker import (
    AnswerApproval,
    ApprovalExpires,
    BrokerMessage,
    CallDone,
    ExplainCall,
    ListApprovals,
    ListGrants,
    ReloadGrants,
    SessionLabel,
    ToolOutcome,
    ToolRequest,
    WhatBecame,
)
from bxcore.policy import Call, Verdict
from bxcore.repeats import CALLS_PER_TURN, TurnCalls
from bxcore.sanitize import one_line, redact
from bxcore.tool_answer import ToolAnswer
from bxcore.waits import Waits
from bxio.session_store import SessionError, SessionStore

KEPT_SESSIONS = 1000
"""Sessions whose label is kept at hand; that of another one is folded from its log again."""
WAITING_CALLS = 64
"""Calls of one session that may wait for those in hand."""
SIDE_BY_SIDE = frozenset({RECALL, ASK_MEMORY})
"""They change nothing and are granted at every label, so none has to wait for what another one raises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the broker is set to; ``calls_per_turn`` is ``[broker] calls_per_turn``."""

    grants: tuple[Grant, ...] = BUILT_IN
    waits: Waits = field(default_factory=Waits)
    calls_per_turn: int = CALLS_PER_TURN


@dataclass(slots=True)
class _Session:
    """A session's label so far, its turn's calls, how many are in hand, and those that wait for them."""

    label: Label
    calls: TurnCalls
    in_hand: int = 0
    alone: bool = False
    waiting: deque[tuple[ToolRequest, Reply | None]] = field(default_factory=deque)

    def has_room(self, tool: str) -> bool:
        """Whether a call may begin beside those in hand."""
        return self.in_hand == 0 or (not self.alone and tool in SIDE_BY_SIDE)

    def begun(self, tool: str) -> None:
        """Count a call in."""
        self.in_hand += 1
        self.alone = tool not in SIDE_BY_SIDE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Running:
    """A call that the memory is asked about."""

    request: ToolRequest
    verdict: Verdict
    reply: Reply | None
    began_s: float
    wait_s: float

    @property
    def grant(self) -> Grant:
        """The grant under which it runs."""
        assert self.verdict.grant is not None
        return self.verdict.grant


class Broker(Actor):
    """Asks ``memory`` and ``audit``; reads the sessions' logs, and writes none."""

    def __init__(
        self,
        context: Context,
        *,
        memory: Mailbox,
        audit: Mailbox,
        sessions: SessionStore,
        settings: Settings | None = None,
    ) -> None:
        super().__init__(context)
        self._memory = memory
        self._audit = audit
        self._store = sessions
        self._settings = settings or Settings()
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._running: dict[str, _Running] = {}
        self._number = 0

    def on_receive(self, message: BrokerMessage) -> object:
        """Decide a call, take in a result, or tell a session's label."""
        match message:
            case ToolRequest():
                self._take(message, self.reply_later())
            case SessionLabel():
                return self._session(message.session).label
            case CallDone():
                self._finish(message)
            case (
                ApprovalExpires()
                | AnswerApproval()
                | ListApprovals()
                | ListGrants()
                | ReloadGrants()
                | ExplainCall()
                | WhatBecame()
            ):
                raise Refusal("not yet")
            case _:
                assert_never(message)
        return None

    def facts(self) -> Mapping[str, str | int | float]:
        """How many calls run, and how many were decided in all."""
        return {"calls_running": len(self._running), "calls": self._number}

    # A session, and the calls of it in order.

    def _session(self, name: str) -> _Session:
        """Fold a session's log on first sight. Refused for a log that cannot be read."""
        found = self._sessions.get(name)
        if found is None:
            found = self._sessions[name] = self._folded(name)
            self._forget_idle()
        self._sessions.move_to_end(name)
        return found

    def _folded(self, name: str) -> _Session:
        try:
            records = self._store.read(name)
        except SessionError as error:
            raise Refusal(error.sentence) from None
        calls = TurnCalls.of_last_turn(records, limit=self._settings.calls_per_turn)
        return _Session(session_fold.label_of(records), calls)

    def _forget_idle(self) -> None:
        for name in [*self._sessions][: max(0, len(self._sessions) - KEPT_SESSIONS)]:
            if not self._sessions[name].in_hand:
                del self._sessions[name]

    def _take(self, request: ToolRequest, reply: Reply | None) -> None:
        try:
            session = self._session(request.session)
        except Refusal as refusal:
            if reply is not None:
                reply.fail(refusal)
            return
        if not session.waiting and session.has_room(request.tool):
            self._begin(session, request, reply)
        elif len(session.waiting) < WAITING_CALLS:
            session.waiting.append((request, reply))
        else:
            sentence = "this session has too many calls waiting; make fewer at once"
            self._answer(session, request, reply, content=sentence)

    def _next(self, session: _Session) -> None:
        session.in_hand -= 1
        while session.waiting and session.has_room(session.waiting[0][0].tool):
            request, reply = session.waiting.popleft()
            if reply is None or not reply.abandoned:
                self._begin(session, request, reply)

    # One call: decided, written down, run, written down, answered.

    def _begin(self, session: _Session, request: ToolRequest, reply: Reply | None) -> None:
        if session.calls.turn != request.turn:
            session.calls = TurnCalls(turn=request.turn, limit=self._settings.calls_per_turn)
        call = Call(tool=request.tool, arguments=request.arguments, state=session.label, calls=session.calls)
        verdict = policy.decide(call, self._settings.grants, datetime.now(UTC))
        session.calls = session.calls.counted()
        unwritten = self._written(_intent(request, verdict, session.label))
        refused = unwritten and f"no call runs, the audit cannot be written: {unwritten}"
        sentence = refused or verdict.sentence
        if sentence is not None:
            self._answer(session, request, reply, content=sentence, canonical=verdict.canonical)
        else:
            session.begun(request.tool)
            self._run(session, request, verdict, reply)

    def _run(self, session: _Session, request: ToolRequest, verdict: Verdict, reply: Reply | None) -> None:
        """Ask the memory; what becomes of it comes as a ``CallDone``."""
        message, wait_s = self._order(request, verdict, session.label)
        self._number += 1
        key = f"{self._number}"
        self._running[key] = _Running(
            request=request, verdict=verdict, reply=reply, began_s=self.now(), wait_s=wait_s
        )
        deadline_s = self.now() + wait_s
        asked = self._memory.ask(message, deadline_s)
        if reply is not None and request.tool in SIDE_BY_SIDE:
            reply.on_abandon(asked.abandon)  # a stopped turn; an edit is seen through, so that it is known
        self.pipe([asked], deadline_s, lambda outcomes: CallDone(key=key, outcome=outcomes[0]))

    def _order(
        self, request: ToolRequest, verdict: Verdict, state: Label
    ) -> tuple[memory.MemoryMessage, float]:
        waits = self._settings.waits
        match verdict.args:
            case AskMemoryArgs() as asked:
                return memory.AskMemory(args=asked, session=request.session), waits.broker_ask_memory_s
            case RecallArgs() as asked:
                return memory.Recall(args=asked, session=request.session), waits.broker_memory_s
            case MemoryArgs() as asked:
                edit = memory.EditMemory(args=asked, session=request.session, turn=request.turn, state=state)
                return edit, waits.broker_memory_s
            case other:
                raise AssertionError(f"a grant for {type(other).__name__}, which nothing runs")

    def _finish(self, message: CallDone) -> None:
        """Raise the label, write the outcome down, and only then answer."""
        running = self._running.pop(message.key)
        session = self._session(running.request.session)
        answer = _answer_of(message.outcome, running)
        label = join(running.grant.floor, answer.label)
        before, session.label = session.label, join(session.label, label)
        canonical = running.verdict.canonical or ""
        key = policy.call_key(running.request.tool, canonical)
        session.calls = session.calls.finished(key, policy.sha256(answer.content))
        unwritten = self._written(self._outcome(running, answer, before, session.label))
        ok, content = answer.ok and unwritten is None, answer.content
        if unwritten is not None:
            content = f"the call ran, but its result is withheld, the audit cannot be written: {unwritten}"
        self._answer(
            session, running.request, running.reply, content=content, canonical=canonical, ok=ok, label=label
        )
        self._next(session)

    def _outcome(self, running: _Running, answer: ToolAnswer, before: Label, after: Label) -> audit.Outcome:
        return audit.Outcome(
            session=running.request.session,
            call=_short(running.request.call),
            outcome="ok" if answer.ok else "failed",
            label_before=before,
            label_after=after,
            duration_ms=round((self.now() - running.began_s) * 1000),
        )

    def _answer(  # noqa: PLR0913 (all but the call's own three are by name)
        self,
        session: _Session,
        request: ToolRequest,
        reply: Reply | None,
        *,
        content: str,
        canonical: str | None = None,
        ok: bool = False,
        label: Label = OWN_WORDS,
    ) -> None:
        if reply is None:
            return
        reply.set(
            ToolOutcome(
                call=request.call,
                tool=request.tool,
                arguments=request.arguments if canonical is None else canonical,
                ok=ok,
                content=cut_middle(content),
                label=label,
                session_label=session.label,
            )
        )

    def _written(self, record: audit.AuditMessage) -> str | None:
        """Put a record on disk; None, or why that could not be done."""
        try:
            self._audit.call(record, self._settings.waits.broker_audit_s)
        except (Refusal, CallError) as error:
            return error.sentence
        return None


def _intent(request: ToolRequest, verdict: Verdict, state: Label) -> audit.Intent:
    shown = verdict.canonical if verdict.sentence is None and state.level < Level.SECRET else None
    grant = verdict.grant if verdict.sentence is None else None
    written = request.arguments if verdict.canonical is None else verdict.canonical
    return audit.Intent(
        session=request.session,
        turn=request.turn,
        call=_short(request.call),
        tool=_short(request.tool),
        arguments_sha256=policy.sha256(written),
        arguments=None if shown is None else redact(shown),
        decision=verdict.decision,
        grant=None if grant is None else grant.id,
        grant_sha256=None if grant is None else grant.sha256,
        label=state,
    )


def _short(name: str) -> str:
    """A name that a model may have written, fit for the audit."""
    return one_line(redact(name), policy.MAX_NAME)


def _answer_of(outcome: object, running: _Running) -> ToolAnswer:
    """What the memory gave, or one clear sentence instead."""
    match outcome:
        case Answer(value=ToolAnswer() as answer):
            return answer
        case Failed(error=error):
            content = f"{running.request.tool}: {error.sentence}"
        case Late():
            content = f"{running.request.tool}: the memory gave no answer in {running.wait_s:g} s"
        case _:
            raise TypeError(type(outcome).__name__)
    return ToolAnswer(ok=False, content=content, label=OWN_WORDS)
