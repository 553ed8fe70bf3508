"""McpServer: keeps one MCP server running, and has its tools called (spec 2.3, 2.5).

It never waits: it looks at the news of the server's process every now and then, often while a call is open. A
server that ends, hangs at its start or floods is ended and started again after a rest that grows; the box and
all other tools go on without it. A call that comes during a start waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from loguru import logger

from actors.base import Actor, Context, Reply, Timer
from bxcore.args import McpArgs
from bxcore.backoff import Backoff, delay_s
from bxcore.config.settings import McpTable
from bxcore.labels import OWN_WORDS
from bxcore.mcp_names import split
from bxcore.mcp_tools import Listed, listed
from bxcore.mcp_view import McpView
from bxcore.messages.mcp import CallLeft, LookAtServer, McpMessage
from bxcore.messages.runner import RunTool
from bxcore.paths import Paths
from bxcore.sanitize import one_line
from bxcore.tool_answer import EFFECT_UNKNOWN, Effect, ToolAnswer, not_begun
from bxio.mcp.child import McpChild, Order

OPEN_LOOK_S = 0.01
START_LOOK_S = 0.05
IDLE_LOOK_S = 0.5
REST = Backoff(first_s=1.0, most_s=300.0)
"""Between two starts of a server that does not stay."""
STEADY_S = 60.0
"""A server that ran so long is not one that does not stay."""
AT_ONCE = 16
"""Calls of one server that are open at one time."""
MOST_SAID = 200
"""Characters of a server's own words in a sentence of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A configured server: its name, what starts it, how long it may take until it lists its tools.

    ``call_s`` is the longest that a call may take, where the grant does not say less.
    """

    name: str
    order: Order
    start_s: float = 30.0
    call_s: float | None = None
    rest: Backoff = REST

    @property
    def actor(self) -> str:
        """What its actor is called."""
        return actor_of(self.name)


def actor_of(server: str) -> str:
    """What the actor of a server is called."""
    return f"mcp/{server}"


def servers_of(
    tables: Sequence[McpTable], secrets: Sequence[Mapping[str, str]], paths: Paths
) -> tuple[Server, ...]:
    """The configured servers; ``secrets`` are the variables of each that come from files."""
    return tuple(
        Server(
            name=table.name,
            order=Order(
                command=table.command,
                env={**table.env, **hidden},
                folder=table.folder or paths.state / "mcp" / table.name,
                own_folder=table.folder is None,
                log=paths.log / f"mcp-{table.name}.log",
            ),
            start_s=table.start_s,
            call_s=table.call_s,
        )
        for table, hidden in zip(tables, secrets, strict=True)
    )


@dataclass(slots=True)
class _Call:
    message: RunTool
    reply: Reply
    limit_s: float
    sent: bool = False


class McpServer(Actor):
    """Answers ``RunTool`` with ``McpArgs``; ``publish`` is told each ``McpView``, from its own thread."""

    def __init__(
        self,
        context: Context,
        *,
        server: Server,
        publish: Callable[[McpView], None] = lambda _view: None,
    ) -> None:
        super().__init__(context)
        self._server = server
        self._publish = publish
        self._chance = context.runtime.world.random
        self._child: McpChild | None = None
        self._ready = False
        self._met = ""
        self._tools = Listed()
        self._why = ""
        self._since_s = 0.0
        self._due_s = 0.0
        self._failures = self._number = 0
        self._calls: dict[str, _Call] = {}
        self._look: Timer | None = None

    def on_start(self) -> None:
        """Start the server, without waiting for it."""
        self._begin()

    def on_receive(self, message: McpMessage) -> None:
        """Take a call, or look what has become of the server."""
        match message:
            case RunTool():
                self._take(message)
            case LookAtServer():
                self._look = None
                self._see()
            case CallLeft(key=key):
                self._left(key)
            case _:
                assert_never(message)
        self._look_later()

    def on_stop(self) -> None:
        """End the server and all that it started."""
        if self._child is not None:
            self._child.end()

    def facts(self) -> Mapping[str, str | int | float]:
        """What ``bxctl inspect mcp/NAME`` shows."""
        return {
            "state": self._view().text,
            "tools": len(self._tools.tools),
            "tools left out": self._tools.left_out,
            "calls": self._number,
            "calls open": len(self._calls),
            "failures in a row": self._failures,
            "pid": 0 if self._child is None else self._child.pid,
        }

    # Calls.

    def _take(self, message: RunTool) -> None:
        reply = self.reply_later()
        if reply is None:  # told: nobody waits for an answer
            return
        if self._child is None and self.now() >= self._due_s:
            self._begin()
        refusal = self._refusal()
        if refusal is not None:
            reply.set(not_begun(f"{message.args.TOOL}: {refusal}"))
            return
        self._number += 1
        key = f"{self._number}"
        limit_s = min(message.limit_s, self._server.call_s or message.limit_s)
        self._calls[key] = _Call(message=message, reply=reply, limit_s=limit_s)
        self.pipe([reply], None, lambda _: CallLeft(key=key))
        self.tell_later(min(limit_s, reply.deadline_s - self.now()), CallLeft(key=key))
        self._send()

    def _refusal(self) -> str | None:
        if self._child is None:
            return f"its server is down ({self._why}); tell the owner, or try later"
        if len(self._calls) >= AT_ONCE:
            return f"{AT_ONCE} calls of its server are open; wait for one to end, then ask again"
        return None

    def _send(self) -> None:
        child = self._child if self._ready else None
        for key, call in self._calls.items():
            if child is not None and not call.sent:
                call.sent = True
                args = call.message.args
                assert isinstance(args, McpArgs)
                _, tool = split(args.TOOL) or ("", "")
                child.say(call=key, tool=tool, arguments=dict(args.arguments))

    def _left(self, key: str) -> None:
        """Its time is over, or nobody waits any more: the server is told that it need not go on."""
        call = self._calls.pop(key, None)
        if call is None:
            return
        if call.sent and self._child is not None:
            self._child.say(cancel=key)
        if call.reply.pending:
            _answer(call, f"it gave no answer in {call.limit_s:g} s")

    def _over(self, key: str, answer: ToolAnswer) -> None:
        call = self._calls.pop(key, None)
        if call is not None and call.reply.pending:
            call.reply.set(answer)

    def _refused(self, key: str, why: str) -> None:
        """Its arguments do not fit the schema, so it was not sent."""
        call = self._calls.get(key)
        if call is not None:
            self._over(key, not_begun(f"{call.message.args.TOOL}: its arguments do not fit, {why}"))

    # The server.

    def _begin(self) -> None:
        self._since_s = self.now()
        try:
            self._child = McpChild.start(self._server.order)
        except OSError as error:
            self._down(f"its process cannot be started: {error.strerror}: {error.filename}")
        self._tell()
        self._look_later()

    def _see(self) -> None:
        child = self._child
        if child is None:
            if self.now() >= self._due_s:
                self._begin()
            return
        code = child.exit_code()
        for line in child.news():
            self._hear(line)
        if self._child is None:
            return
        if code is not None:
            self._down("its process was killed" if code < 0 else "its process ended")
        elif child.flooded() or not child.flush():
            self._down("it sends more than can be read, or reads nothing")
        elif not self._ready and self.now() - self._since_s > self._server.start_s:
            self._down(f"it did not list its tools in {self._server.start_s:g} s")

    def _hear(self, line: Mapping[str, Any]) -> None:
        match line:
            case {"ready": {"server": str(met), "tools": list(tools)}}:
                self._ready, self._met, self._why = True, one_line(met, MOST_SAID), ""
                self._take_tools(tools)
                self._send()
            case {"tools": list(tools)}:
                self._take_tools(tools)
            case {"answer": str(key), "ok": bool(ok), "text": str(text)}:
                self._over(key, ToolAnswer(ok=ok, content=text, label=OWN_WORDS))
            case {"refused": str(key), "text": str(text)}:
                self._refused(key, text)
            case {"end": str(sentence)}:
                self._down(one_line(sentence, MOST_SAID))
            case _:
                raise TypeError("a line of the bridge that nobody understands")

    def _take_tools(self, tools: list[object]) -> None:
        self._tools = listed(self._server.name, tools)
        self._tell()

    def _down(self, why: str) -> None:
        """End what is left of it; answer each open call; start it again after a rest."""
        child, self._child = self._child, None
        steady = self._ready and self.now() - self._since_s > STEADY_S
        self._ready = False
        self._failures = 1 if steady else self._failures + 1
        self._why = why
        self._due_s = self.now() + delay_s(self._server.rest, self._failures, self._chance())
        if child is not None:
            child.end(kindly=False)
        calls, self._calls = self._calls, {}
        for call in calls.values():
            if call.reply.pending:
                _answer(call, f"its server ended before it answered ({why})")
        logger.warning("mcp {}: {}", self._server.name, why)
        self._tell()

    def _look_later(self) -> None:
        if self._look is not None:
            self._look.cancel()
        self._look = self.tell_later(self._look_s(), LookAtServer())

    def _look_s(self) -> float:
        if self._child is None:
            return max(0.0, self._due_s - self.now())
        if not self._ready:
            return START_LOOK_S
        return OPEN_LOOK_S if self._calls else IDLE_LOOK_S

    def _tell(self) -> None:
        self._publish(self._view())

    def _view(self) -> McpView:
        if self._ready:
            count = len(self._tools.tools)
            more = f", {self._tools.left_out} that cannot be called" if self._tools.left_out else ""
            text = f"{self._met}, {count} {'tool' if count == 1 else 'tools'}{more}"
        elif self._child is not None:
            text = "starting"
        else:
            text = f"down: {self._why}; it is tried again"
        starting = self._child is not None and not self._failures
        return McpView(
            server=self._server.name, ready=self._ready or starting, text=text, tools=self._tools.tools
        )


def _answer(call: _Call, why: str) -> None:
    """A call that was sent may have done all that it was to do."""
    tool = call.message.args.TOOL
    if not call.sent:
        call.reply.set(not_begun(f"{tool}: {why}; it did not run"))
        return
    call.reply.set(
        ToolAnswer(
            ok=False, content=f"{tool}: {why}; {EFFECT_UNKNOWN}", label=OWN_WORDS, effect=Effect.UNKNOWN
        )
    )
