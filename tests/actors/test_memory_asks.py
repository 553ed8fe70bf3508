from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from actors.audit import Audit
from actors.base import Answer, Mailbox, Reply, Runtime, Why
from actors.honcho_chat import HonchoChat
from actors.supervising import Root, Supervisor, start_root
from bxcore.args import AskMemoryArgs
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.broker import ToolOutcome, ToolRequest
from bxcore.messages.memory import AskMemory
from bxcore.messages.supervision import Done, RestartChild, StartChild
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from bxcore.tool_answer import EFFECT_UNKNOWN, ToolAnswer
from bxcore.waits import Waits
from bxcore.workspaces import OtherAgent, Readable, configured
from bxio.honcho import HonchoClient, HonchoServer
from tests.doubles import bad_manners
from tests.doubles.bad_manners import answers
from tests.doubles.broker_bench import make_broker
from tests.doubles.loopback import Connection, Handler, LoopbackServer
from tests.doubles.memory_bench import READABLE, MemoryBench, recall
from tests.kit.kit import Kit
from tests.kit.leaks import Letters
from tests.kit.probe import Probe

LONG_S = 20.0
QUESTION = "where is the marmalade"
TOKEN = "ghp_" + "a1B2" * 9


class Servers:
    """A loopback server a workspace; a chat is started on the one of its workspace."""

    def __init__(self) -> None:
        self.by_workspace: dict[str, LoopbackServer] = {}

    def serve(self, workspace: str, handler: Handler) -> LoopbackServer:
        self.by_workspace[workspace] = LoopbackServer(handler)
        return self.by_workspace[workspace]

    def chat(self, name: str, workspace: str) -> ChildSpec:
        client = HonchoClient(HonchoServer(url=self.by_workspace[workspace].url))
        make = partial(HonchoChat, client=client, workspace=workspace)
        return ChildSpec(name=name, start=make, restart=Restart.TEMPORARY)

    def close(self) -> None:
        for server in self.by_workspace.values():
            server.close()


@pytest.fixture
def servers() -> Iterator[Servers]:
    made = Servers()
    yield made
    made.close()


@pytest.fixture
def make(
    runtime: Runtime, probe: Callable[[str], Probe], servers: Servers, tmp_path: Path
) -> Callable[..., Mailbox]:
    """Start a memory whose chats are real, with a limit of ``chat_s``."""

    def start(chat_s: float = LONG_S, readable: tuple[Readable, ...] = READABLE) -> Mailbox:
        spec = SupervisorSpec(max_children=32)
        asks = runtime.start("asks", lambda context: Supervisor(context, spec))
        bench = MemoryBench(
            folder=tmp_path,
            asks=asks,
            outbox=probe("outbox").box,
            chat=servers.chat,
            readable=readable,
            waits=Waits(chat_s=chat_s),
        )
        return runtime.start("memory", bench.make)

    return start


def asked(box: Mailbox, *workspaces: str, question: str = QUESTION) -> Reply:
    message = AskMemory(args=AskMemoryArgs(question, workspaces), session="k3f")
    return box.ask(message, time.monotonic() + LONG_S)


def answer(box: Mailbox, *workspaces: str, question: str = QUESTION) -> ToolAnswer:
    found = asked(box, *workspaces, question=question).get(LONG_S)
    assert isinstance(found, ToolAnswer)
    return found


def test_one_workspace_is_asked_by_default(make: Callable[..., Mailbox], servers: Servers) -> None:
    server = servers.serve("boxmaker", answers(200, {"content": "in the\nlarder"}))
    found = answer(make())
    assert found == ToolAnswer(
        ok=True, content="[1] memory · own · private\n    in the larder", label=NEW_SESSION
    )
    [request] = server.requests
    assert request.startswith(b"POST /v3/workspaces/boxmaker/chat HTTP/1.1\r\n")
    assert request.endswith(b'\r\n\r\n{"query":"where is the marmalade","reasoning_level":"minimal"}')


def test_two_agents_whose_names_differ_in_capitals_alone_are_both_asked(
    make: Callable[..., Mailbox], servers: Servers
) -> None:
    servers.serve("a", answers(200, {"content": "the larder"}))
    servers.serve("b", answers(200, {"content": "the cellar"}))
    others = [
        OtherAgent(agent="Anna", workspace="a", trusted=True),
        OtherAgent(agent="anna", workspace="b", trusted=True),
    ]
    found = answer(make(readable=configured(others=others)), "Anna", "anna")
    assert found.content.splitlines() == [
        "[1] memory · Anna · private",
        "    the larder",
        "[2] memory · anna · private",
        "    the cellar",
    ]


def test_two_workspaces_are_asked_at_once_and_shown_in_the_order_named(
    make: Callable[..., Mailbox], servers: Servers
) -> None:
    both = threading.Barrier(2)

    def waits_for_the_other(connection: Connection) -> None:
        connection.read_request()
        both.wait(LONG_S)
        body = b'{"content": null}'
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)

    servers.serve("fleet", waits_for_the_other)
    servers.serve("b1", waits_for_the_other)
    found = answer(make(), "fleet", "boxmaker1")
    assert found.content == (
        "[1] memory-tainted · fleet · private\n    (no answer)\n"
        "[2] memory · boxmaker1 · private\n    (no answer)"
    )
    assert found.label == Label(Level.PRIVATE, untrusted=True)


def test_one_that_fails_is_unavailable_and_the_other_is_shown(
    make: Callable[..., Mailbox], servers: Servers, logged: list[str]
) -> None:
    servers.serve("fleet", answers(500, {"detail": QUESTION}))
    servers.serve("boxmaker", answers(200, {"content": "in the larder"}))
    found = answer(make(), "fleet", "own")
    assert found.content == "[1] memory · own · private\n    in the larder\nfleet: unavailable"
    assert (found.ok, found.label) == (True, NEW_SESSION)
    assert [line for line in logged if "ask_memory" in line] == [
        "ask_memory: fleet unavailable: 500, the server failed"
    ]


@pytest.mark.parametrize(
    ("handler", "error"),
    [
        (answers(401, {"detail": "Invalid JWT"}), "401, the token was refused"),
        (answers(404, {"detail": "Workspace boxmaker not found"}), "404, no such workspace"),
        (answers(404, {"detail": "Not Found"}), "404, no workspace chat on this server"),
        (answers(422, {"detail": "no"}), "422, what was sent is refused"),
        (answers(200, b"<html>", content_type="text/html"), "200, the answer is not JSON"),
        (bad_manners.speaks_no_http, "the answer is not HTTP"),
    ],
)
def test_each_failure_is_one_line_of_its_kind_without_a_word_of_the_question(
    make: Callable[..., Mailbox], servers: Servers, logged: list[str], handler: Handler, error: str
) -> None:
    servers.serve("boxmaker", handler)
    found = answer(make())
    assert (found.ok, found.content, found.label) == (False, "own: unavailable", NEW_SESSION)
    assert [line for line in logged if "ask_memory" in line] == [f"ask_memory: own unavailable: {error}"]
    assert "marmalade" not in "".join(logged)


def test_a_long_answer_is_shown_on_one_line_up_to_its_limit(
    make: Callable[..., Mailbox], servers: Servers
) -> None:
    servers.serve("boxmaker", answers(200, {"content": "x" * 65_000}))
    assert answer(make()).content == "[1] memory · own · private\n    " + "x" * 2000


def test_two_that_hang_are_answered_after_one_limit_and_are_dead_letters(
    make: Callable[..., Mailbox], servers: Servers, letters: Letters, logged: list[str]
) -> None:
    silent = servers.serve("boxmaker", bad_manners.silent)
    dripping = servers.serve("boxmaker-untrusted", bad_manners.drips_headers)
    box = make(chat_s=0.4)
    began_s = time.monotonic()
    found = answer(box, "own", "untrusted")
    assert 0.4 <= time.monotonic() - began_s < 0.75
    assert (found.ok, found.content) == (False, "own: unavailable\nuntrusted: unavailable")
    assert [line for line in logged if "ask_memory" in line] == [
        "ask_memory: own unavailable: no answer in 400 ms",
        "ask_memory: untrusted unavailable: no answer in 400 ms",
    ]
    assert silent.wait_idle()
    assert dripping.wait_idle()
    late = letters_of(letters, 2)
    assert {letter.split("-", 2)[2] for letter in late} == {"own", "untrusted"}


def letters_of(letters: Letters, count: int) -> list[str]:
    """The addresses of the late chats, once all are there; their actors have ended then."""
    until_s, pause = time.monotonic() + LONG_S, threading.Event()
    while len(letters.unread()) < count and time.monotonic() < until_s:
        pause.wait(0.005)
    read = letters.read_all()
    assert all(letter.reason is Why.LATE for letter in read)
    return [letter.address for letter in read]


def test_an_unknown_name_is_refused_and_nobody_is_asked(
    make: Callable[..., Mailbox], servers: Servers
) -> None:
    server = servers.serve("boxmaker", answers(200, {"content": "x"}))
    found = answer(make(), "own", "boxmaker9")
    assert (found.ok, found.label) == (False, NEW_SESSION)
    assert found.content == "no workspace is named boxmaker9; ask own, untrusted, fleet or boxmaker1"
    assert server.accepted == 0


def test_a_question_with_a_secret_is_not_asked(
    make: Callable[..., Mailbox], servers: Servers, logged: list[str]
) -> None:
    server = servers.serve("boxmaker", answers(200, {"content": "x"}))
    found = answer(make(), question=f"whose is {TOKEN}?")
    assert (found.ok, found.content) == (
        False, "ask_memory: not asked; the question looks like it holds a secret"
    )  # fmt: skip
    assert server.accepted == 0
    assert TOKEN not in "".join(logged)


def test_a_recall_during_a_hanging_ask_is_answered_at_once(
    make: Callable[..., Mailbox], servers: Servers, letters: Letters
) -> None:
    came = threading.Event()

    def hangs(connection: Connection) -> None:
        connection.read_request()
        came.set()
        connection.wait(LONG_S)

    servers.serve("boxmaker", hangs)
    box = make()
    hanging = asked(box)
    assert came.wait(LONG_S)
    assert recall(box, "marmalade").ok
    assert hanging.pending
    box.close()
    assert not isinstance(hanging.outcome(time.monotonic() + LONG_S), Answer)
    letters_of(letters, 1)


def test_an_ask_that_is_given_up_ends_its_chats_at_once_and_says_nothing_of_the_workspaces(
    make: Callable[..., Mailbox], servers: Servers, letters: Letters, logged: list[str]
) -> None:
    both = threading.Barrier(3)

    def hangs(connection: Connection) -> None:
        connection.read_request()
        both.wait(LONG_S)
        connection.wait(LONG_S)

    hanging = [servers.serve("boxmaker", hangs), servers.serve("fleet", hangs)]
    box = make()
    reply = asked(box, "own", "fleet")
    both.wait(LONG_S)
    reply.abandon()
    assert all(server.wait_idle() for server in hanging)
    assert len(letters_of(letters, 2)) == 2
    assert recall(box, "marmalade").ok
    assert [line for line in logged if "ask_memory" in line] == []


def test_a_chat_that_no_supervisor_starts_is_unavailable(kit: Kit, tmp_path: Path) -> None:
    asks, outbox = kit.probe("asks"), kit.probe("outbox")
    bench = MemoryBench(folder=tmp_path, asks=asks.box, outbox=outbox.box)
    box = kit.start("memory", bench.make)
    reply = box.ask(AskMemory(args=AskMemoryArgs(QUESTION), session="k3f"), kit.now() + 300.0)
    child = asks.expect(StartChild)
    kit.runtime.forget(child.mailbox)
    kit.settle()
    assert reply.get(0.0) == ToolAnswer(ok=False, content="own: unavailable", label=NEW_SESSION)
    kit.expect_dead_letter(child.mailbox.name, Why.DEAD)
    asks.close()
    again = box.ask(AskMemory(args=AskMemoryArgs(QUESTION), session="k3f"), kit.now() + 300.0)
    kit.settle()
    assert again.get(0.0).content == "own: unavailable"
    assert {letter.address for letter in kit.letters.read_all()} == {"asks", "asks/1-2.0-own"}


def test_the_default_limit_is_150_seconds_for_both(kit: Kit, tmp_path: Path) -> None:
    asks, outbox = kit.probe("asks"), kit.probe("outbox")
    box = kit.start("memory", MemoryBench(folder=tmp_path, asks=asks.box, outbox=outbox.box).make)
    message = AskMemory(args=AskMemoryArgs(QUESTION, ("own", "fleet")), session="k3f")
    reply = box.ask(message, kit.now() + 300.0)
    boxes = [asks.expect(StartChild).mailbox for _ in range(2)]
    kit.advance(149.9)
    assert reply.pending
    kit.advance(0.2)
    assert reply.get(0.0).content == "own: unavailable\nfleet: unavailable"
    for each in boxes:
        kit.runtime.forget(each)
        kit.expect_dead_letter(each.name, Why.DEAD)


@pytest.fixture
def tree(runtime: Runtime, probe: Callable[[str], Probe], servers: Servers, tmp_path: Path) -> Root:
    """Audit, memory, broker and the chats under one supervisor, as in the process."""
    bench = MemoryBench(
        folder=tmp_path, asks=runtime.mailbox("asks"), outbox=probe("outbox").box, chat=servers.chat
    )
    children = (
        ChildSpec(
            name="audit",
            start=lambda context: Audit(context, path=tmp_path / "audit.jsonl", now=lambda: "now"),
        ),
        ChildSpec(name="memory", start=bench.make),
        ChildSpec(
            name="broker",
            start=lambda context: make_broker(context, tmp_path, sessions=bench.sessions),
        ),
        ChildSpec(
            name="asks",
            kind="supervisor",
            start=lambda context: Supervisor(context, SupervisorSpec(max_children=32)),
        ),
    )
    return start_root(runtime, SupervisorSpec(children=children))


def call(runtime: Runtime, tool: str, arguments: str, session: str = "k3f") -> Reply:
    request = ToolRequest(session=session, turn=1, call="c1", tool=tool, arguments=arguments)
    return runtime.mailbox("broker").ask(request, time.monotonic() + LONG_S)


def test_a_memory_restarted_during_an_ask_ends_the_call_with_a_clear_failed_result(
    runtime: Runtime, tree: Root, servers: Servers, letters: Letters
) -> None:
    came = threading.Event()

    def hangs(connection: Connection) -> None:
        connection.read_request()
        came.set()
        connection.wait(LONG_S)

    server = servers.serve("boxmaker", hangs)
    hanging = call(runtime, "ask_memory", f'{{"question":"{QUESTION}"}}')
    assert came.wait(LONG_S)
    other = call(runtime, "recall", '{"query":"marmalade"}', session="other").get(LONG_S)
    assert isinstance(other, ToolOutcome)
    assert other.ok
    done = tree.box.call(RestartChild(name="memory"), LONG_S)
    assert isinstance(done, Done)
    assert done.ok
    found = hanging.get(LONG_S)
    assert isinstance(found, ToolOutcome)
    assert (found.ok, found.label) == (False, NEW_SESSION)
    assert found.content == f"ask_memory: memory was restarted before it answered; {EFFECT_UNKNOWN}"
    assert server.wait_idle()
    letters_of(letters, 1)
    servers.by_workspace["boxmaker"] = LoopbackServer(answers(200, {"content": "in the larder"}))
    again = call(runtime, "ask_memory", f'{{"question":"{QUESTION}"}}').get(LONG_S)
    assert again.content == "[1] memory · own · private\n    in the larder"
    server.close()
