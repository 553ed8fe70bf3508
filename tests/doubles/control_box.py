"""A control socket over scripted actors: real acceptor, real connections, a loop that a test writes."""

from __future__ import annotations

import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from actors.api_door import ApiDoor, Way
from actors.base import Actor, Context, Reply, Runtime
from actors.connection import Limits
from actors.connection_api import ApiConnection
from actors.connection_chats import ChatPlaces
from actors.connection_doctor import Probing
from actors.connection_views import Known
from actors.control import Control
from actors.supervising import Root, Supervisor, start_root
from bxcore.control.views import Fact
from bxcore.doctor import Check, Verdict
from bxcore.labels import Label, Level
from bxcore.messages.broker import (
    AnswerApproval,
    ApprovalAnswered,
    ApprovalView,
    ExplainCall,
    Explained,
    GrantRow,
    GrantsView,
    ListApprovals,
    ListGrants,
    ReloadGrants,
)
from bxcore.messages.loop import (
    ListSessions,
    PromptSize,
    PromptSizes,
    Say,
    SessionInfo,
    SessionView,
    ShowSession,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnEvent,
    TurnResult,
    TurnStarted,
    TurnText,
    Usage,
)
from bxcore.messages.memory import AskMemory
from bxcore.openai_api.gate import Gate
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from bxcore.tool_answer import ToolAnswer
from bxcore.waits import Waits
from bxio.http_server import HttpExchange
from bxio.instance_lock import InstanceLock

PRIVATE = Label(Level.PRIVATE, untrusted=False)
INFO = SessionInfo(
    session="main", live=True, turns=1, label=PRIVATE, updated="2026-11-02T10:00:00Z", title="the key"
)
TURNS = (TurnText(user="where is the key?", reply="the blue tin"), TurnText(user="hi"))
CALL = ToolEnded(
    session="main",
    call="c1",
    tool="recall",
    arguments='{"query":"key"}',
    ok=True,
    content="[1] memory · notes · private\n    the blue tin",
    label=PRIVATE,
)

APPROVAL = ApprovalView(
    code="k7",
    session="main",
    turn=1,
    call="c1",
    tool="shell",
    shown='shell {"command":"ls /srv"}',
    whole='shell {"command":"ls /srv"}',
    hidden=0,
    label=PRIVATE,
    grant="shell-look",
    why="the grant shell-look asks each time",
    left_s=600.0,
)
GRANT = GrantRow(
    id="shell-look",
    tool="shell",
    mode="ask",
    max_taint="private",
    when_untrusted="ask",
    about="ls, cat",
    sha256="ab" * 32,
    expired=False,
)


def turn(say: Say, *, reply: str | None = "the blue tin", failed: str | None = None) -> TurnResult:
    """How a scripted turn ended."""
    return TurnResult(
        session=say.session,
        turn=1,
        reply=reply,
        failed=failed,
        tools=(CALL,),
        label=PRIVATE,
        usage=Usage(prompt=9, cached=2, completion=4),
    )


def one_turn(say: Say) -> TurnResult:
    """Tell a turn's news with one tool call, then its result."""
    news: tuple[TurnEvent, ...] = (
        TurnStarted(session=say.session, turn=1),
        ToolStarted(session=say.session, call="c1", tool=CALL.tool, arguments=CALL.arguments),
        CALL,
        TextDelta(session=say.session, text="the blue "),
        TextDelta(session=say.session, text="tin"),
    )
    for event in news if say.listener is not None else ():
        assert say.listener is not None
        say.listener.tell(event)
    return turn(say)


def answered(message: Any) -> Any:
    """What a box that is well answers."""
    match message:
        case Say():
            return one_turn(message)
        case ListSessions():
            return (INFO,)
        case ShowSession(session="main"):
            return SessionView(info=INFO, turns=TURNS)
        case PromptSize():
            parts = (("system.md", 400), ("tools", 800))
            return PromptSizes(parts=parts, total=1200, limit=3000, estimated=True)
        case AskMemory():
            return ToolAnswer(ok=True, content="[1] memory · own · private\n    the tin", label=PRIVATE)
        case _:
            return of_broker(message)


def of_broker(message: Any) -> Any:
    """What the broker of a box that is well answers; of approvals, k7 is pending and every other unknown."""
    match message:
        case ListApprovals():
            return (APPROVAL,)
        case AnswerApproval(code="k7"):
            how = "approved" if message.approve else "denied"
            return ApprovalAnswered(taken=True, known=True, sentence=f"k7 was {how} by {message.by}")
        case AnswerApproval():
            return ApprovalAnswered(taken=False, known=False, sentence="no call waits for an approval")
        case ExplainCall():
            steps = ("tool: shell is one", "mode: the owner is asked")
            return Explained(decision="ask", grant="shell-look", sentence="the grant asks", steps=steps)
        case ListGrants() | ReloadGrants():
            return GrantsView(grants=(GRANT,))
        case _:
            return None


HELD = object()
"""A script's answer that means: none now; the test sets ``ControlBox.held`` later."""


class Scripted(Actor):
    """Answers each message by a function that the test gave; notes what came."""

    def __init__(
        self, context: Context, *, script: Callable[[Any], Any], seen: list[Any], held: list[Reply]
    ) -> None:
        super().__init__(context)
        self._script = script
        self._seen = seen
        self._held = held

    def on_receive(self, message: Any) -> object:
        """Note it and answer, now or later."""
        self._seen.append(message)
        answer = self._script(message)
        if answer is not HELD:
            return answer
        reply = self.reply_later()
        assert reply is not None
        self._held.append(reply)
        return None


@dataclass(kw_only=True)
class ControlBox:
    """A running tree with a control socket in a short folder; ``script`` answers for its actors."""

    runtime: Runtime
    script: Callable[[Any], Any] = answered
    facts: tuple[Fact, ...] = (Fact(name="model", text="embedded, ready"),)
    checks: tuple[Check, ...] = (Check(name="model", verdict=Verdict.OK, sentence="embedded, ready"),)
    limits: Limits = field(default_factory=Limits)
    waits: Waits = field(default_factory=Waits)
    most: int = 32
    probing: Probing | None = None
    token: str | None = None
    """With one there is a door on the loopback, at ``listen``; ``told`` has what it said of itself."""
    listen: str = "127.0.0.1:0"
    told: list[Fact] = field(default_factory=list)
    owner: str | None = "anna"
    memory: Callable[[Context], Actor] | None = None
    """Makes a real one, in the place of the scripted."""
    seen: list[Any] = field(default_factory=list)
    held: list[Reply] = field(default_factory=list)
    home: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="bx-")))

    def __post_init__(self) -> None:
        self.path = self.home / "run" / "control.sock"
        self.chats = ChatPlaces(self.most)
        self.lock = InstanceLock(self.home)
        self.lock.take()
        self.root: Root = start_root(self.runtime, self._spec())

    def _spec(self) -> SupervisorSpec:
        connections = SupervisorSpec(max_children=self.most)
        return SupervisorSpec(
            intensity=10,
            children=(
                ChildSpec(name="memory", start=self.memory or self._scripted),
                ChildSpec(name="broker", start=self._scripted),
                ChildSpec(name="loop", start=self._scripted, restart=Restart.PERMANENT),
                ChildSpec(
                    name="connections",
                    kind="supervisor",
                    start=lambda context: Supervisor(context, connections),
                ),
                ChildSpec(name="control", start=self._control),
                *self._api(),
            ),
        )

    def _scripted(self, context: Context) -> Scripted:
        return Scripted(context, script=self.script, seen=self.seen, held=self.held)

    def _control(self, context: Context) -> Control:
        return Control(
            context,
            path=self.path,
            lock=self.lock,
            connections=self.runtime.mailbox("connections"),
            connect=self._connect,
        )

    def _api(self) -> tuple[ChildSpec, ...]:
        if self.token is None:
            return ()
        clients = SupervisorSpec(max_children=self.most)
        group = ChildSpec(name="api", kind="supervisor", start=lambda context: Supervisor(context, clients))
        return group, ChildSpec(name="api-door", start=self._door)

    def _door(self, context: Context) -> ApiDoor:
        assert self.token is not None
        token = self.token
        way = Way(
            listen=self.listen,
            connections=self.runtime.mailbox("api"),
            connect=lambda inner, exchange, port: self._connect(
                inner, exchange, Gate(port=port, token=token)
            ),
            publish=self.told.append,
            most=self.most,
            retry_s=0.02,
        )
        return ApiDoor(context, way=way)

    @property
    def port(self) -> int:
        """Where the door on the loopback listens."""
        return int(self.told[-1].text.removesuffix("/v1").rpartition(":")[2])

    def _connect(self, context: Context, exchange: HttpExchange, gate: Gate | None = None) -> ApiConnection:
        known = Known(
            runtime=self.runtime,
            loop=self.runtime.mailbox("loop"),
            memory=self.runtime.mailbox("memory"),
            broker=self.runtime.mailbox("broker"),
            outbox=self.runtime.mailbox("outbox"),
            audit_path=self.home / "audit.jsonl",
            started_s=self.runtime.world.monotonic(),
            facts=lambda: self.facts,
            doctor=lambda: self.checks,
            waits=self.waits,
            chats=self.chats,
            probing=self.probing,
            owner=self.owner,
        )
        return ApiConnection(context, exchange=exchange, known=known, limits=self.limits, gate=gate)

    def close(self) -> None:
        """Stop the tree and take the folder away."""
        assert self.root.stop(10.0)
        self.lock.release()
        shutil.rmtree(self.home)


MakeBox = Callable[..., ControlBox]


def control_boxes(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    """Give a maker of boxes for a fixture, and close what it made."""
    monkeypatch.setattr("bxio.http_server.DRAIN_S", 0.05)
    made: list[ControlBox] = []

    def make_box(**options: Any) -> ControlBox:
        made.append(ControlBox(runtime=runtime, **options))
        return made[-1]

    yield make_box
    for box in made:
        box.close()


def connected(box: ControlBox) -> socket.socket:
    """A client that has said nothing yet."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(10)
    client.connect(str(box.path))
    return client
