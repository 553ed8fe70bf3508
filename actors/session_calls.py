"""The tool calls of one turn: answered here, or by the broker within the waits of spec 2.3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256

from loguru import logger

from actors.base import (
    Answer,
    Busy,
    CallError,
    Crashed,
    Dead,
    Failed,
    Late,
    Mailbox,
    Outcome,
    Refusal,
    Reply,
    Restarting,
)
from actors.session_approvals import SessionApprovals
from bxcore.args import ASK_MEMORY, ClockArgs, FindToolArgs, canonical_json
from bxcore.clock_text import clock_answer
from bxcore.errors import system_reason
from bxcore.messages.broker import ToolOutcome, ToolRequest
from bxcore.messages.loop import ToolStarted, TurnBrake, TurnEvent
from bxcore.records import ToolCall
from bxcore.repeats import TurnCalls
from bxcore.tool_answer import EFFECT_UNKNOWN
from bxcore.tool_registry import NotRun, Own, ToBroker, ToolRegistry
from bxcore.turn import ToolDone
from bxcore.waits import Waits

ASKED_AGAIN = 8
"""How often at most a call that waits for the owner is asked again of a broker that was restarted."""
RUNBOOK = "see docs/runbook.md#broker-unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that the broker has; it answers by the deadline of ``reply``, which it may move."""

    request: ToolRequest
    wait_s: float
    reply: Reply


@dataclass(slots=True)
class OwnCalls:
    """What the loop answered itself in one turn: the broker's rule of repeats holds for these calls too."""

    _calls: TurnCalls = field(default_factory=lambda: TurnCalls(turn=0))

    def seen(self, done: ToolDone) -> ToolDone:
        """The answer, or why there is none a third time."""
        call = f"{done.tool} {done.arguments}"
        refusal = self._calls.refuse_again(call)
        if refusal is not None:
            return replace(done, ok=False, content=refusal)
        self._calls = self._calls.finished(call, sha256(done.content.encode()).hexdigest())
        return done


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCalls:
    """Runs the calls of turn ``turn``; ``show`` is told of each before it starts.

    ``said`` is the owner's own message, None when somebody else spoke. ``approvals`` hears of what the owner
    is asked; None where nobody can answer. ``keep`` keeps the whole result of a call that was cut.
    """

    session: str
    turn: int
    broker: Mailbox
    registry: ToolRegistry
    waits: Waits
    brake: TurnBrake
    now: Callable[[], float]
    wall: Callable[[], datetime]
    show: Callable[[TurnEvent], object]
    said: str | None = None
    approvals: SessionApprovals | None = None
    keep: Callable[[str, str], object] = lambda _call, _text: None
    own: OwnCalls = field(default_factory=OwnCalls)

    def results(self, calls: Sequence[ToolCall], together: bool) -> Iterator[ToolDone]:  # noqa: FBT001 - a part of RunTools
        """Each result in the calls' order, side by side when ``together``. Ends early once braked."""
        started = [self._start(call) for call in calls] if together else []
        for place, call in enumerate(calls):
            if self.brake.pulled():
                return
            done = self._finish(started[place] if together else self._start(call))
            if done is None:
                return
            yield done

    def _start(self, call: ToolCall) -> Asked | ToolDone:
        """Answer the call here, or leave it with the broker."""
        route = self.registry.route(call)
        arguments = (
            call.arguments if isinstance(route, Own) else route.arguments
        )  # of the tool inside call_tool
        self.show(ToolStarted(session=self.session, call=call.id, tool=route.tool, arguments=arguments))
        match route:
            case Own(tool=tool, args=args):
                done = ToolDone(
                    call=call.id, tool=tool, arguments=canonical_json(args), ok=True, content=self._own(args)
                )
                return self.own.seen(done)
            case NotRun(tool=tool, arguments=arguments, sentence=sentence):
                done = ToolDone(call=call.id, tool=tool, arguments=arguments, ok=False, content=sentence)
                return self.own.seen(done)
            case ToBroker(tool=tool, arguments=arguments):
                return self._ask_broker(call.id, tool, arguments)

    def _own(self, args: ClockArgs | FindToolArgs) -> str:
        match args:
            case ClockArgs():
                return clock_answer(self.wall())
            case FindToolArgs(query=query):
                return self.registry.find(query)

    def _ask_broker(self, call: str, tool: str, arguments: str) -> Asked:
        wait_s = self.waits.loop_for_ask_memory_s if tool == ASK_MEMORY else self.waits.loop_call_s
        request = ToolRequest(
            session=self.session,
            turn=self.turn,
            call=call,
            tool=tool,
            arguments=arguments,
            said=self.said,
            listener=self.approvals,
        )
        return self._asked(request, wait_s, self.now() + wait_s)

    def _asked(self, request: ToolRequest, wait_s: float, deadline_s: float) -> Asked:
        reply = self.broker.ask(request, deadline_s)
        self.brake.on_pull(reply.abandon)
        return Asked(request=request, wait_s=wait_s, reply=reply)

    def _finish(self, asked: Asked | ToolDone) -> ToolDone | None:
        """The result; None when the brake ended the wait."""
        if isinstance(asked, ToolDone):
            return asked
        outcome = self._outcome(asked)
        match outcome:
            case Answer(ToolOutcome() as found):
                return self._done(asked.request.call, found)
            case Failed(Refusal(sentence=sentence)):
                return _failed(asked, sentence)
            case Late() if self.brake.pulled():
                return None
            case _:
                return self._unanswered(asked, outcome)

    def _outcome(self, asked: Asked) -> Outcome:
        """The broker's answer. One that waited for the owner is asked again of a broker that was restarted.

        It has the approval still and knows the call by its id; nothing else is ever asked twice.
        """
        outcome = asked.reply.outcome()
        for _ in range(ASKED_AGAIN):
            until_s = self._pending_until_s(asked.request.call)
            gone = isinstance(outcome, Failed) and isinstance(outcome.error, Restarting | Crashed)
            if not gone or until_s is None or self.brake.pulled():
                break
            outcome = self._asked(asked.request, asked.wait_s, until_s + asked.wait_s).reply.outcome()
        return outcome

    def _pending_until_s(self, call: str) -> float | None:
        return None if self.approvals is None else self.approvals.pending_until_s(call)

    def _done(self, call: str, found: ToolOutcome) -> ToolDone:
        if found.whole is not None:
            self._keep(call, found.whole)
        return ToolDone(
            call=call,
            tool=found.tool,
            arguments=found.arguments,
            ok=found.ok,
            content=found.content,
            label=found.label,
            audited=found.audited,
        )

    def _keep(self, call: str, text: str) -> None:
        """What was cut stays readable for the owner; a disk that fails is told, and the turn goes on."""
        try:
            self.keep(call, text)
        except OSError as error:
            logger.bind(session=self.session, call=call).warning(
                "the whole result of {} of session {} was not kept: {}",
                call,
                self.session,
                system_reason(error),
            )

    def _unanswered(self, asked: Asked, outcome: Outcome) -> ToolDone:
        """One line for the model, and one for the log that names the page to read."""
        tool = asked.request.tool
        why, effect = _what_happened(asked, outcome)
        logger.bind(session=self.session, call=asked.request.call).warning(
            "{} of session {} was not answered by the broker: {}; {}", tool, self.session, why, RUNBOOK
        )
        return _failed(asked, f"{tool} was not answered: {why}; {effect}, tell the user so")


def _what_happened(asked: Asked, outcome: Outcome) -> tuple[str, str]:
    """Why there is no answer, and what the call did all the same: a closed or full mailbox took no call."""
    match outcome:
        case Failed(Busy() | Dead() as error):
            return error.sentence, "it did not run"
        case Failed(CallError() as error):
            return error.happened, EFFECT_UNKNOWN  # whoever follows the advice to try again does it twice
        case _:
            return f"no answer within {asked.wait_s:g} s", EFFECT_UNKNOWN


def _failed(asked: Asked, sentence: str) -> ToolDone:
    request = asked.request
    return ToolDone(
        call=request.call, tool=request.tool, arguments=request.arguments, ok=False, content=sentence
    )
