"""Who runs a call that may run, with which order and for how long, and what came of it (spec 2.3, step 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from actors.base import Answer, Busy, CallError, Expired, Failed, Late, Mailbox, Refusal, Reply
from bxcore.args import (
    AskMemoryArgs,
    HttpFetchArgs,
    McpArgs,
    MemoryArgs,
    ReadFileArgs,
    RecallArgs,
    ShellArgs,
    WriteFileArgs,
)
from bxcore.labels import OWN_WORDS, Label
from bxcore.messages.broker import ToolRequest
from bxcore.messages.memory import AskMemory, EditMemory, Recall
from bxcore.messages.runner import RunTool
from bxcore.policy import Verdict
from bxcore.tool_answer import EFFECT_UNKNOWN, Effect, ToolAnswer, not_begun
from bxcore.waits import Waits

CONTAINER_S = 60.0
"""How long a call may run in a container, or at an MCP server, when its grant does not say."""
FETCH_S = 30.0
"""How long a fetch may take."""
OVER_RUN_S = 5.0
"""How much longer the broker waits than the run may take."""
OVER_BROKER_S = 1.0
"""A run ends so long before the loop gives up on it, so that what it did until then is told."""
LEAST_RUN_S = 1.0
NOT_BEGUN = (Busy, Expired)
"""The call was never looked at; a refusal tells about what it looked at, any other error tells nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A message, who gets it, and how long its answer is waited for.

    ``abandons``: it ends with the wait of who asked the broker.
    """

    box: Mailbox
    message: Any
    wait_s: float
    tool: str
    runner: str
    abandons: bool

    def ask(self, now_s: float) -> Reply:
        """Give the order."""
        return self.box.ask(self.message, now_s + self.wait_s)

    def answer(self, outcome: object) -> ToolAnswer:
        """What came of it, or one clear sentence instead."""
        match outcome:
            case Answer(value=ToolAnswer() as answer):
                return answer
            case Failed(error=error) if isinstance(error, NOT_BEGUN):
                return not_begun(f"{self.tool}: {error.sentence}")
            case Failed(error=Refusal() as refusal):
                return self._failed(refusal.sentence, Effect.DONE)
            case Failed(CallError() as error):
                why = error.happened  # its advice would be to try again
            case Late():
                why = f"the {self.runner} gave no answer in {self.wait_s:g} s"
            case _:
                raise TypeError(type(outcome).__name__)
        return self._failed(f"{why}; {EFFECT_UNKNOWN}", Effect.UNKNOWN)

    def _failed(self, why: str, effect: Effect) -> ToolAnswer:
        return ToolAnswer(ok=False, content=f"{self.tool}: {why}", label=OWN_WORDS, effect=effect)


@dataclass(frozen=True, slots=True)
class Runs:
    """The memory runs its own tools, the runner all others."""

    memory: Mailbox
    runner: Mailbox
    waits: Waits

    def order(self, request: ToolRequest, verdict: Verdict, state: Label) -> Order:
        """The order for a call that may run; an edit is seen through, all else ends with its asker's wait."""
        match verdict.args:
            case AskMemoryArgs() as asked:
                question = AskMemory(args=asked, session=request.session)
                return self._of_memory(question, self.waits.broker_ask_memory_s, abandons=True)
            case RecallArgs() as asked:
                recall = Recall(args=asked, session=request.session)
                return self._of_memory(recall, self.waits.broker_memory_s, abandons=True)
            case MemoryArgs() as asked:
                edit = EditMemory(args=asked, session=request.session, turn=request.turn, state=state)
                return self._of_memory(edit, self.waits.broker_memory_s, abandons=False)
            case ReadFileArgs() | WriteFileArgs() | ShellArgs() | HttpFetchArgs() | McpArgs() as asked:
                return self._of_runner(request, verdict, asked)
            case other:
                raise AssertionError(f"a grant for {type(other).__name__}, which nothing runs")

    def _of_memory(self, message: AskMemory | Recall | EditMemory, wait_s: float, *, abandons: bool) -> Order:
        return Order(
            box=self.memory,
            message=message,
            wait_s=wait_s,
            tool=message.args.TOOL,
            runner="memory",
            abandons=abandons,
        )

    def _of_runner(
        self,
        request: ToolRequest,
        verdict: Verdict,
        asked: ReadFileArgs | WriteFileArgs | ShellArgs | HttpFetchArgs | McpArgs,
    ) -> Order:
        assert verdict.grant is not None
        most_s = self.waits.loop_call_s - OVER_RUN_S - OVER_BROKER_S
        limit_s = min(limit_of(asked, verdict.grant.time_limit_ms), max(most_s, LEAST_RUN_S))
        message = RunTool(
            args=asked,
            grant=verdict.grant,
            session=request.session,
            call=request.call,
            limit_s=limit_s,
            stricter=verdict.stricter,
            masked=verdict.masked,
        )
        wait_s = limit_s + OVER_RUN_S
        return Order(
            box=self.runner,
            message=message,
            wait_s=wait_s,
            tool=request.tool,
            runner="runner",
            abandons=True,
        )


def limit_of(
    args: ReadFileArgs | WriteFileArgs | ShellArgs | HttpFetchArgs | McpArgs, time_limit_ms: int | None
) -> float:
    """Seconds that the call may run: the grant's limit, a shell's own when that is shorter."""
    if isinstance(args, HttpFetchArgs):
        return FETCH_S
    granted_s = CONTAINER_S if time_limit_ms is None else time_limit_ms / 1000
    return min(granted_s, args.timeout_s) if isinstance(args, ShellArgs) else granted_s
