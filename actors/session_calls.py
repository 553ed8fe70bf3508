"""The tool calls of one turn: answered here, or by the broker within the waits of spec 2.3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from loguru import logger

from actors.base import Answer, Busy, Dead, Failed, Late, Mailbox, Outcome, Refusal, Reply
from bxcore.args import ASK_MEMORY, ClockArgs, FindToolArgs, canonical_json
from bxcore.clock_text import clock_answer
from bxcore.messages.broker import ToolOutcome, ToolRequest
from bxcore.messages.loop import ToolStarted, TurnBrake, TurnEvent
from bxcore.records import ToolCall
from bxcore.tool_registry import NotRun, Own, ToBroker, ToolRegistry
from bxcore.turn import ToolDone
from bxcore.waits import Waits

RUNBOOK = "see docs/runbook.md#broker-unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that the broker has; it answers by ``reply.deadline_s``."""

    call: str
    tool: str
    arguments: str
    wait_s: float
    reply: Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCalls:
    """Runs the calls of turn ``turn``; ``show`` is told of each before it starts."""

    session: str
    turn: int
    broker: Mailbox
    registry: ToolRegistry
    waits: Waits
    brake: TurnBrake
    now: Callable[[], float]
    wall: Callable[[], datetime]
    show: Callable[[TurnEvent], object]

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
        self.show(ToolStarted(session=self.session, call=call.id, tool=route.tool, arguments=call.arguments))
        match route:
            case Own(tool=tool, args=args):
                return ToolDone(
                    call=call.id, tool=tool, arguments=canonical_json(args), ok=True, content=self._own(args)
                )
            case NotRun(tool=tool, arguments=arguments, sentence=sentence):
                return ToolDone(call=call.id, tool=tool, arguments=arguments, ok=False, content=sentence)
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
        request = ToolRequest(session=self.session, turn=self.turn, call=call, tool=tool, arguments=arguments)
        reply = self.broker.ask(request, self.now() + wait_s)
        self.brake.on_pull(reply.abandon)
        return Asked(call=call, tool=tool, arguments=arguments, wait_s=wait_s, reply=reply)

    def _finish(self, asked: Asked | ToolDone) -> ToolDone | None:
        """The result; None when the brake ended the wait."""
        if isinstance(asked, ToolDone):
            return asked
        outcome = asked.reply.outcome(asked.reply.deadline_s)
        match outcome:
            case Answer(ToolOutcome() as found):
                return ToolDone(
                    call=asked.call,
                    tool=found.tool,
                    arguments=found.arguments,
                    ok=found.ok,
                    content=found.content,
                    label=found.label,
                )
            case Failed(Refusal(sentence=sentence)):
                return _failed(asked, sentence)
            case Late() if self.brake.pulled():
                return None
            case _:
                return self._unanswered(asked, outcome)

    def _unanswered(self, asked: Asked, outcome: Outcome) -> ToolDone:
        """One line for the model, and one for the log that names the page to read."""
        why = (
            outcome.error.sentence if isinstance(outcome, Failed) else f"no answer within {asked.wait_s:g} s"
        )
        logger.bind(session=self.session, call=asked.call).warning(
            "{} of session {} was not answered by the broker: {}; {}", asked.tool, self.session, why, RUNBOOK
        )
        return _failed(asked, f"{asked.tool} was not answered: {why}; {_effect(outcome)}, tell the user so")


def _effect(outcome: Outcome) -> str:
    """What may have happened all the same: a closed or full mailbox took nothing in."""
    never_taken = isinstance(outcome, Failed) and isinstance(outcome.error, Busy | Dead)
    return "it did not run" if never_taken else "whether it took effect is unknown"


def _failed(asked: Asked, sentence: str) -> ToolDone:
    return ToolDone(call=asked.call, tool=asked.tool, arguments=asked.arguments, ok=False, content=sentence)
