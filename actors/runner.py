"""Runner: has a sandbox found and proven, and each call run by a short-lived child (spec 2.5).

It never waits: a search and a run are children of their own, and a message to itself when they are over.
Calls that come while a sandbox is searched wait for it as long as they can; a fetch needs none. A sandbox
that broke, such as by the end of podman's service, is closed and searched for anew by the next call, after a
rest that grows; so is one that was not found. A box whose grants need no sandbox searches for none, until a
call needs one all the same, such as after a reload of the grants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

from loguru import logger

from actors.base import Actor, Answer, Busy, Context, Delivery, Expired, Failed, Late, Mailbox, Reply
from bxcore.args import HttpFetchArgs, McpArgs
from bxcore.backoff import Backoff, delay_s
from bxcore.labels import OWN_WORDS
from bxcore.mcp_names import split
from bxcore.messages.runner import (
    Found,
    NobodyWaits,
    Prepare,
    RunnerMessage,
    RunOver,
    RunTool,
    Search,
    WaitedLong,
)
from bxcore.messages.supervision import StartChild
from bxcore.sandbox import choose
from bxcore.sandbox.view import SandboxView
from bxcore.supervision import ChildSpec
from bxcore.tool_answer import Effect, ToolAnswer, not_begun
from bxio.sandbox import Backend

SEARCH = "search"
SEARCH_S = 60.0
"""For a service to start and for all probes."""
AT_ONCE = 48
"""Calls that run or wait at one time; with the searches they are fewer than ``runs`` takes."""
LEFT_S = 1.0
"""How long before its deadline a call that waits for a sandbox is told so."""
REST = Backoff(first_s=1.0, most_s=60.0)
"""Between two searches when no sandbox was found, or when it broke."""

NO_SERVER = "no MCP server is named {} in boxmaker.toml; tell the owner"
BUSY = f"{AT_ONCE} tools run already; wait for one to end, then ask again"
UNKNOWN = "its run broke off ({why}), so what it did is unknown; look before you do it again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Children:
    """``runs`` is the dynamic supervisor; the others make the spec of one temporary child from its name.

    ``search`` a ``SandboxSearch``, ``tool_run`` a ``ToolRun`` on a backend, ``fetch`` a ``Fetch``. ``mcp``
    has the actors of MCP servers by the server's name: no children, they are there as long as the box.
    """

    runs: Mailbox
    search: Callable[[str], ChildSpec]
    tool_run: Callable[[str, Backend], ChildSpec]
    fetch: Callable[[str], ChildSpec]
    mcp: Mapping[str, Mailbox] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """A call in hand: its message and its asker's reply."""

    message: RunTool
    reply: Reply


class Runner(Actor):
    """``publish`` is told each ``SandboxView``, from this actor's thread; status and doctor show the last.

    ``needed`` tells, at the start, whether any grant is for a tool that runs in a sandbox; it may read files.
    """

    def __init__(
        self,
        context: Context,
        *,
        children: Children,
        publish: Callable[[SandboxView], None] = lambda _view: None,
        needed: Callable[[], bool] = lambda: True,
        rest: Backoff = REST,
    ) -> None:
        super().__init__(context)
        self._runtime = context.runtime
        self._children = children
        self._publish = publish
        self._needed = needed
        self._rest = rest
        self._backend: Backend | None = None
        self._view = _none(choose.SEARCHING)
        self._searching: Reply | None = None
        self._failures = 0
        self._rest_until_s = 0.0
        self._number = 0
        self._waiting: dict[str, _Call] = {}
        self._running: dict[str, tuple[_Call, Reply]] = {}

    def on_start(self) -> None:
        """Have a sandbox searched for, without waiting for it, unless none is needed."""
        if self._needed():
            self.tell_later(0.0, Prepare())
        else:
            self._told(choose.NOT_NEEDED)

    def on_receive(self, message: RunnerMessage) -> None:
        """Start a child, or take in what became of one."""
        match message:
            case RunTool():
                self._take(message)
            case Prepare():
                self._search()
            case RunOver() if message.key in self._running:
                self._over(message)
            case RunOver():
                self._searched(message.outcome)
            case WaitedLong():
                self._refuse_waiting(message.key, choose.SEARCHING)
            case NobodyWaits():
                self._waiting.pop(message.key, None)
            case _:
                assert_never(message)

    def on_stop(self) -> None:
        """Have all runs killed, then let go of the sandbox."""
        for _, child in self._running.values():
            child.abandon()
        if self._searching is not None:
            self._searching.abandon()
        if self._backend is not None:
            self._backend.close()

    def facts(self) -> Mapping[str, str | int | float]:
        """What ``bxctl inspect runner`` shows."""
        return {
            "sandbox": self._view.backend or "none",
            "ready": int(self._backend is not None),
            "calls started": self._number,
            "calls running": len(self._running),
            "calls waiting": len(self._waiting),
        }

    # Calls.

    def _take(self, message: RunTool) -> None:
        reply = self.reply_later()
        if reply is None:  # told: nobody waits for an answer
            return
        call = _Call(message=message, reply=reply)
        self._number += 1
        key = f"{self.incarnation}-{self._number}"
        if len(self._running) + len(self._waiting) >= AT_ONCE:
            _refuse(call, BUSY)
        elif isinstance(message.args, HttpFetchArgs):
            self._start(key, call, self._children.fetch)
        elif isinstance(message.args, McpArgs):
            self._hand_on(key, call, message.args)
        else:
            self._look_for_break()
            self._start_or_wait(key, call)

    def _start_or_wait(self, key: str, call: _Call) -> None:
        if self._backend is not None:
            backend = self._backend
            self._start(key, call, lambda name: self._children.tool_run(name, backend))
        elif self._searching is not None or self.now() >= self._rest_until_s:
            self._wait(key, call)
            self._search()
        else:
            _refuse(call, self._view.sentence)

    def _hand_on(self, key: str, call: _Call, args: McpArgs) -> None:
        server, _ = split(args.TOOL) or ("", "")
        box = self._children.mcp.get(server)
        if box is None:
            _refuse(call, NO_SERVER.format(server))
            return
        self._run(key, call, box.ask(call.message, call.reply.deadline_s))

    def _wait(self, key: str, call: _Call) -> None:
        """Until a sandbox is there, its time is nearly over, or its asker gives up."""
        self._waiting[key] = call
        left_s = call.reply.deadline_s - LEFT_S - self.now()
        self.tell_later(max(0.0, left_s), WaitedLong(key=key))
        self.pipe([call.reply], None, lambda _: NobodyWaits(key=key))

    def _refuse_waiting(self, key: str, sentence: str) -> None:
        call = self._waiting.pop(key, None)
        if call is not None:
            _refuse(call, sentence)

    def _start(self, key: str, call: _Call, spec: Callable[[str], ChildSpec]) -> None:
        self._run(key, call, self._child(key, spec, call.message, call.reply.deadline_s))

    def _run(self, key: str, call: _Call, reply: Reply) -> None:
        self.pipe([reply], reply.deadline_s, lambda outcomes: RunOver(key=key, outcome=outcomes[0]))
        self._running[key] = (call, reply)
        call.reply.on_abandon(reply.abandon)

    def _child(self, key: str, spec: Callable[[str], ChildSpec], message: Any, deadline_s: float) -> Reply:
        """Ask at once: the mailbox is there before its actor, and closes when that one fails to start."""
        name = f"{self._children.runs.name}/{key}"
        box = self._runtime.mailbox(name, bound=2)
        start = StartChild(spec=spec(name), mailbox=box)
        if self._children.runs.tell(start) is not Delivery.ACCEPTED:
            self._runtime.forget(box)
        return box.ask(message, deadline_s)

    def _over(self, message: RunOver) -> None:
        call, _ = self._running.pop(message.key)
        if isinstance(message.outcome, Answer) and self._backend is not None and not self._backend.broken():
            self._failures = 0
        if call.reply.pending:
            call.reply.set(_answer(call, message.outcome))

    # The sandbox.

    def _look_for_break(self) -> None:
        why = None if self._backend is None else self._backend.broken()
        if self._backend is None or why is None:
            return
        logger.error("sandbox: {} is broken: {}", self._backend.name, why)
        self._backend.close()
        self._backend = None
        self._failures += 1
        self._told(_none(f"the sandbox broke ({why}); it is started again by the next call"))
        if self._failures > 1:
            self._rest_until_s = self.now() + delay_s(self._rest, self._failures - 1, 0.5)

    def _search(self) -> None:
        if self._searching is not None or self._backend is not None:
            return
        self._number += 1
        key = f"{SEARCH}-{self.incarnation}-{self._number}"
        reply = self._child(key, self._children.search, Search(), self.now() + SEARCH_S)
        self.pipe([reply], reply.deadline_s, lambda outcomes: RunOver(key=key, outcome=outcomes[0]))
        self._searching = reply

    def _searched(self, outcome: object) -> None:
        self._searching = None
        match outcome:
            case Answer(value=Found() as found):
                self._backend = found.backend
                self._told(found.view)
            case _:
                why = outcome.error.sentence if isinstance(outcome, Failed) else "it took too long"
                self._told(_none(f"no tool runs: the sandbox was not proven ({why}); bxctl restart runner"))
        if self._backend is None:
            self._failures += 1
            self._rest_until_s = self.now() + delay_s(self._rest, self._failures, 0.5)
        for key in list(self._waiting):
            self._go_on(key)

    def _go_on(self, key: str) -> None:
        """A sandbox was found, or not: run what has waited for it."""
        call = self._waiting.pop(key)
        if call.reply.pending:
            self._start_or_wait(key, call)

    def _told(self, view: SandboxView) -> None:
        if view.sought and not view.ready:
            logger.warning("sandbox: {}", view.sentence)
        self._view = view
        self._publish(view)


def _none(sentence: str) -> SandboxView:
    return SandboxView(backend=None, ready=False, sentence=sentence)


def _refuse(call: _Call, sentence: str) -> None:
    """Nothing ran: the box's own words, which tell of nothing that a grant covers."""
    if call.reply.pending:
        call.reply.set(not_begun(f"{call.message.args.TOOL}: {sentence}"))


def _answer(call: _Call, outcome: object) -> ToolAnswer:
    tool = call.message.args.TOOL
    match outcome:
        case Answer(value=ToolAnswer() as answer):
            return answer
        case Failed(error=Busy()):
            return not_begun(f"{tool}: {BUSY}")
        case Failed(error=Expired()):
            return not_begun(f"{tool}: it did not run: its time was over before it could start")
        case Failed(error=error):
            why = error.sentence
        case Late():
            why = "it gave no answer in time"
        case _:
            raise TypeError(type(outcome).__name__)
    content = f"{tool}: {UNKNOWN.format(why=why)}"
    return ToolAnswer(ok=False, content=content, label=OWN_WORDS, effect=Effect.UNKNOWN)
