"""One live session: its log, its baseline, its turns in order (spec 3.1 to 3.3).

A turn runs in the session's own thread, and all that it waits for is woken by the turn's brake. What a crash
leaves is in the log alone; the next start reads it there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import assert_never

from loguru import logger

from actors.base import Actor, Context, Mailbox, Refusal
from actors.session_approvals import SessionApprovals
from actors.session_asks import NotReady, SessionAsks
from actors.session_calls import SessionCalls
from actors.session_summary import SessionSummary
from bxcore import baseline as baselines
from bxcore import interrupted
from bxcore.baseline import Baseline
from bxcore.clock_text import stamp
from bxcore.interrupted import Interrupted
from bxcore.labels import NEW_SESSION
from bxcore.mcp_view import McpKnown
from bxcore.messages.loop import (
    Idle,
    Leave,
    MeasurePrompt,
    Notice,
    PromptSizes,
    RunTurn,
    Say,
    SessionMessage,
    ToolEnded,
    TurnBrake,
    TurnEvent,
    TurnResult,
    Usage,
)
from bxcore.messages.memory import TurnEnded
from bxcore.messages.model import Endpoint
from bxcore.model.values import ModelRequest
from bxcore.records import Record, User, whole
from bxcore.tool_registry import ToolRegistry
from bxcore.turn import STOPPED, End, Step, Turn, begin
from bxcore.waits import Waits
from bxio import whole_results
from bxio.brake import Brake
from bxio.live_session import ANSWER_TOKENS, NO_EVIDENCE, LiveSession, open_live
from bxio.model import ModelClient, ModelUnavailable
from bxio.session_evidence import SessionEvidence
from bxio.session_store import SessionError, SessionStore
from bxio.turn_runner import TurnRunner

MAX_TEXT = 100_000
"""Characters of one message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionParts:
    """What every session is made with. ``client`` makes the client of an endpoint; ``wall`` tells the time.

    ``mcp`` tells the tools of MCP servers that are there now. ``auto_recall`` None means: for the json
    profile. ``endpoint_s`` is for a model that loads, ``answer_s`` for one whole answer of it, ``summary_s``
    for a summary of a long session.
    """

    store: SessionStore
    broker: Mailbox
    memory: Mailbox
    model: Mailbox
    audit: Mailbox
    client: Callable[[Endpoint], ModelClient]
    system: str
    registry: ToolRegistry = field(default_factory=ToolRegistry)
    mcp: Callable[[], McpKnown] = McpKnown
    workspaces: tuple[str, ...] = ()
    auto_recall: bool | None = None
    max_rounds: int = 8
    idle_s: float = 900.0
    endpoint_s: float = 300.0
    answer_s: float = 900.0
    summary_s: float = 60.0
    waits: Waits = field(default_factory=Waits)
    forgotten: Callable[[str], bool] = lambda _session: False
    """Whether a session of that name was forgotten whole."""
    evidence: SessionEvidence = NO_EVIDENCE
    wall: Callable[[], datetime] = lambda: datetime.now().astimezone()


class Session(Actor):
    """Runs ``RunTurn`` messages one after the other; ends itself when idle."""

    def __init__(self, context: Context, *, session: str, parts: SessionParts) -> None:
        super().__init__(context)
        self._session = session
        self._parts = parts
        self._live: LiveSession | None = None
        self._brake: TurnBrake | None = None
        self._leaving = False
        self._said = 0
        self._context_tokens = 0
        self._asks = SessionAsks(
            session=session,
            memory=parts.memory,
            model=parts.model,
            broker=parts.broker,
            audit=parts.audit,
            endpoint_s=parts.endpoint_s,
            memory_s=parts.waits.broker_memory_s,
            audit_s=parts.waits.broker_audit_s,
            now=self.now,
        )
        self._summary = SessionSummary(
            asks=self._asks, client=parts.client, summary_s=parts.summary_s, now=self.now
        )

    def on_receive(self, message: SessionMessage) -> object:
        """See each message."""
        match message:
            case RunTurn():
                return self._on_run_turn(message)
            case MeasurePrompt():
                return self._on_measure_prompt()
            case Leave():
                self.end()
            case Idle(said=said):
                if said == self._said:
                    self.end()
            case _:
                assert_never(message)
        return None

    def on_stop(self) -> None:
        """Free the log for the next start."""
        self._close()

    def cut(self) -> None:
        """End the running turn, and begin no other. Any thread."""
        self._leaving = True
        brake = self._brake
        if brake is not None:
            brake.pull()

    def _on_run_turn(self, message: RunTurn) -> TurnResult:
        self._said += 1
        audience = message.audience
        self._brake = message.brake
        if self._leaving:
            message.brake.pull()
        try:
            audience.begin(message.say.listener, message.brake)
            result = self._turn(message.say, message.brake, audience.tell)
            audience.over(result)
        except (SessionError, Refusal) as error:
            if isinstance(error, SessionError):
                self._close()
            audience.lost(message.brake, error.sentence)
            raise Refusal(error.sentence) from None
        else:
            return result
        finally:
            self._brake = None
            message.brake.release()
            self.tell_later(self._parts.idle_s, Idle(said=self._said))

    def _turn(self, say: Say, brake: TurnBrake, show: Callable[[TurnEvent], object]) -> TurnResult:
        if brake.pulled():
            raise Refusal("stopped before it began")
        text = _checked(say.text)
        try:
            live = self._live = self._live or self._opened(brake, self._noticer(show))
        except NotReady as error:
            return _not_begun(self._session, STOPPED if brake.pulled() else error.sentence)
        left = self._interrupted(live, brake)
        if left is not None:
            self._noticer(show)(left.notice)
        closing = left.records if left else ()
        closing = self._next_epoch(live, text, closing, brake, self._noticer(show))
        before = (*live.before_the_first_turn(), *closing)
        speaker = None if say.speaker is None else whole(say.speaker)
        user = User(text=text, speaker=speaker, at=stamp(self._parts.wall()))
        calls = self._calls(live, say, brake, show)
        return self._run(live, begin(user, before), calls, brake, show)

    def _interrupted(self, live: LiveSession, brake: TurnBrake) -> Interrupted | None:
        """The turn that a crash cut short; of its calls the broker may know what the log does not."""
        last = live.last_turn()
        became = self._asks.what_became(interrupted.calls_left(last), brake)
        return interrupted.find(last, became, before=live.turns - 1)

    def _next_epoch(
        self,
        live: LiveSession,
        text: str,
        closing: tuple[Record, ...],
        brake: TurnBrake,
        notice: Callable[[str], object],
    ) -> tuple[Record, ...]:
        """Between turns alone: begin an epoch if one is due; what of ``closing`` is to be written still."""
        window = self._context_tokens = self._summary.window(live, self._context_tokens, brake, notice)
        if live.loss is None and not (window and live.nears(text, window)):
            return closing
        if closing:
            live.log.append(closing)
        self._summary.begin_epoch(live, window, brake, notice)
        return ()

    def _opened(self, brake: TurnBrake, notice: Callable[[str], object]) -> LiveSession:
        """Resume from the log, or start anew; a torn tail is said."""
        live = open_live(
            self._parts.store,
            self._session,
            lambda: self._new_baseline(brake, notice),
            self._parts.registry.names,
            self._parts.evidence,
        )
        if live.loss is not None:
            logger.warning("{}", live.loss.sentence(self._session, live.turns, live.label))
        if live.log.torn_note:
            logger.warning("session {}: {}", self._session, live.log.torn_note)
            notice(live.log.torn_note)
        if live.gone is not None:
            notice(live.gone.of_one_that_is_gone(self._session))
        elif not live.turns and self._parts.forgotten(self._session):
            notice(f"session {self._session} was forgotten; this is a new one of that name")
        return live

    def _run(
        self,
        live: LiveSession,
        steps: tuple[Step, ...],
        calls: SessionCalls,
        brake: TurnBrake,
        show: Callable[[TurnEvent], object],
    ) -> TurnResult:
        turn = Turn(number=live.turns + 1, max_rounds=self._parts.max_rounds, held=live.held)
        runner = TurnRunner(
            log=live.log,
            client=lambda using, without: self._client(brake, show, using, without),
            brake=brake,
            request=lambda: self._request(live, turn.number, brake, self._noticer(show)),
            tools=calls.results,
            show=show,
            now=self.now,
            answer_s=self._parts.answer_s,
            settle=lambda number: self._asks.settled(number, brake),
            failed=self._asks.failed,
        )
        ended_turn, end = runner.run(turn, steps)
        live.held = ended_turn.held
        if end.notice:
            self._noticer(show)(end.notice)
        self._parts.memory.tell(TurnEnded(session=self._session, turn=turn.number))
        return _result(live, ended_turn, end, runner.ended)

    def _calls(
        self, live: LiveSession, say: Say, brake: TurnBrake, show: Callable[[TurnEvent], object]
    ) -> SessionCalls:
        folder = self._parts.store.folder / self._session
        name = f"loop/{self._session}/approvals"
        return SessionCalls(
            session=self._session,
            turn=live.turns + 1,
            broker=self._parts.broker,
            registry=replace(live.registry(self._parts.registry), mcp=self._parts.mcp()),
            waits=self._parts.waits,
            brake=brake,
            now=self.now,
            wall=self._parts.wall,
            show=show,
            said=say.text if say.owner else None,
            approvals=SessionApprovals(name, show, self.now) if say.answers else None,
            keep=lambda call, text: whole_results.keep(folder, call, text),
        )

    def _client(
        self,
        brake: TurnBrake,
        show: Callable[[TurnEvent], object],
        using: int | None,
        without: tuple[int, ...],
    ) -> ModelClient:
        """The client of the model as it is now; asked anew each round, since its server may have moved."""
        try:
            endpoint = self._asks.endpoint(brake, self._noticer(show), using, without)
        except NotReady as error:
            raise ModelUnavailable(error.sentence) from None
        self._context_tokens = endpoint.context_tokens - endpoint.answer_room + ANSWER_TOKENS
        return self._parts.client(endpoint)

    def _request(
        self, live: LiveSession, turn: int, brake: TurnBrake, notice: Callable[[str], object]
    ) -> ModelRequest:
        """The next request; before the model first speaks in a turn, auto_recall has looked."""
        wanted = self._parts.auto_recall
        recalls = live.baseline.profile == "json" if wanted is None else wanted
        if recalls and live.recalled != turn:
            live.recall(self._asks.recalled(_last_text(live), brake))
        first = live.first
        request = live.request(self._context_tokens)
        if live.first > first:
            notice(f"this session is long: the model no longer sees the turns before turn {live.first}")
        return request

    def _new_baseline(self, brake: TurnBrake, notice: Callable[[str], object]) -> Baseline:
        """The baseline of a new session. Raises ``NotReady``, also when it is over its limit."""
        endpoint = self._asks.endpoint(brake, notice)
        block = self._asks.memory_block(brake)
        problem = baselines.problem(self._sizes(endpoint, block))
        if problem is not None:
            raise NotReady(problem)
        parts = self._parts
        return baselines.make(
            endpoint.profile,
            system=parts.system,
            memory_block=block,
            tools=parts.registry.array(),
            workspaces=parts.workspaces,
        )

    def _sizes(self, endpoint: Endpoint, block: str) -> PromptSizes:
        return baselines.sizes(
            endpoint.profile,
            system=self._parts.system,
            memory_block=block,
            tools=self._parts.registry.array(),
            count=self._parts.client(endpoint).count_tokens,
        )

    def _on_measure_prompt(self) -> PromptSizes:
        self.end()
        brake = self._brake = Brake()
        try:
            endpoint = self._asks.endpoint(brake, lambda _line: None)
            return self._sizes(endpoint, self._asks.memory_block(brake))
        except NotReady as error:
            raise Refusal(error.sentence) from None

    def _noticer(self, show: Callable[[TurnEvent], object]) -> Callable[[str], object]:
        return lambda line: show(Notice(session=self._session, text=line))

    def _close(self) -> None:
        live, self._live = self._live, None
        if live is not None:
            live.log.close()


def _checked(text: str) -> str:
    """The message as it goes into the log. Raises ``Refusal``: nothing was begun."""
    if not text.strip():
        raise Refusal("the message is empty; write what you want to say")
    if len(text) > MAX_TEXT:
        raise Refusal(
            f"the message has {len(text)} characters, over the limit of {MAX_TEXT}; send less at once"
        )
    return whole(text)


def _last_text(live: LiveSession) -> str:
    return next(record.text for record in reversed(live.log.records) if isinstance(record, User))


def _not_begun(session: str, sentence: str) -> TurnResult:
    """A new session without a model: nothing is logged, so there is no turn yet."""
    return TurnResult(
        session=session, turn=0, reply=None, failed=sentence, tools=(), label=NEW_SESSION, usage=Usage()
    )


def _result(live: LiveSession, turn: Turn, end: End, tools: list[ToolEnded]) -> TurnResult:
    used = turn.usage
    return TurnResult(
        session=live.log.session,
        turn=turn.number,
        reply=end.reply,
        failed=end.failed,
        tools=tuple(tools),
        label=live.log.label,
        usage=Usage(prompt=used.prompt, cached=used.cached, completion=used.completion),
    )
