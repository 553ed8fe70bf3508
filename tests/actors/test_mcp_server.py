"""An MCP server's actor against real processes, good ones and bad ones at the wire."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from actors.base import Mailbox, Reply, Runtime
from actors.mcp_server import AT_ONCE, McpServer, Server
from bxcore.args import McpArgs
from bxcore.backoff import Backoff
from bxcore.grants import Grant, Mode
from bxcore.mcp_view import McpView
from bxcore.messages.runner import RunTool
from bxcore.tool_answer import Effect, ToolAnswer
from bxio.mcp.bridge_lines import MOST_TEXT
from bxio.mcp.child import Order
from bxio.mcp.descent import alive, below
from tests.doubles.mcp_servers import LONG

pytestmark = pytest.mark.timeout(90)

ROOT = Path(__file__).parents[2]
GRANT = Grant(id="g", tool="mcp.x.*", mode=Mode.AUTO, text="")
START_S = 60.0
PYTHON = (sys.executable, "-m")


class Bench:
    """One server's actor, and what it published."""

    def __init__(self, runtime: Runtime, folder: Path) -> None:
        self.runtime = runtime
        self.folder = folder
        self.views: list[McpView] = []
        self._news = threading.Condition()

    def start(self, *way: str, start_s: float = START_S, rest_s: float = 0.05) -> Mailbox:
        """A server of ``tests.doubles.mcp_servers``."""
        return self.run(*PYTHON, "tests.doubles.mcp_servers", *way, start_s=start_s, rest_s=rest_s)

    def good(self) -> Mailbox:
        """The server of ``tests.doubles.good_mcp_server``."""
        return self.run(*PYTHON, "tests.doubles.good_mcp_server", str(self.folder))

    def pid(self) -> int:
        """Of the bridge."""
        found = self.runtime.inspect("mcp/x", 5.0)
        assert found is not None
        assert found.facts is not None
        return int(found.facts["pid"])

    def run(
        self, *command: str, start_s: float = START_S, rest_s: float = 0.05, call_s: float | None = None
    ) -> Mailbox:
        """Any program."""
        order = Order(
            command=command,
            env={"PYTHONPATH": str(ROOT), "SECRET": "tell-nobody"},
            folder=self.folder / "own",
            own_folder=True,
            log=self.folder / "log" / "mcp-x.log",
        )
        rest = Backoff(first_s=rest_s, most_s=rest_s)
        server = Server(name="x", order=order, start_s=start_s, rest=rest, call_s=call_s)
        return self.runtime.start(
            server.actor, lambda context: McpServer(context, server=server, publish=self._hear)
        )

    def _hear(self, view: McpView) -> None:
        with self._news:
            self.views.append(view)
            self._news.notify_all()

    def until(self, holds: Callable[[McpView], bool]) -> McpView:
        """Wait for such a view, and forget those before it."""
        with self._news:
            assert self._news.wait_for(lambda: any(map(holds, self.views)), START_S), self.views
            found = next(view for view in self.views if holds(view))
            del self.views[: self.views.index(found) + 1]
            return found


@pytest.fixture
def bench(runtime: Runtime, tmp_path: Path) -> Iterator[Bench]:
    yield Bench(runtime, tmp_path)
    runtime.stop("mcp/x")


def asked(box: Mailbox, tool: str, limit_s: float = 30.0, **arguments: object) -> Reply:
    args = McpArgs(f"mcp.x.{tool}", arguments)
    message = RunTool(args=args, grant=GRANT, session="s", call="c", limit_s=limit_s)
    return box.ask(message, time.monotonic() + limit_s + 5.0)


def answer(reply: Reply) -> ToolAnswer:
    found = reply.get(60.0)
    assert isinstance(found, ToolAnswer)
    return found


def down(view: McpView) -> bool:
    return view.text.startswith("down: ")


def wait_for(holds: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(1000):
        if holds():
            return
        pause.wait(0.01)
    raise AssertionError("it never came to that")


def test_a_call_during_the_start_waits_for_the_server(bench: Bench) -> None:
    box = bench.good()
    told = answer(asked(box, "echo", words="hello ✓"))
    assert (told.ok, told.content, told.effect) == (True, "hello ✓", Effect.DONE)
    ready = bench.until(lambda view: view.text == "good 1.0, 4 tools")
    assert [tool.name for tool in ready.tools] == [
        "mcp.x.echo",
        "mcp.x.environment",
        "mcp.x.more",
        "mcp.x.note",
    ]


def test_arguments_that_do_not_fit_the_schema_are_not_sent(bench: Bench) -> None:
    box = bench.good()
    wrong = answer(asked(box, "note", words=7))
    assert (wrong.effect, wrong.content) == (
        Effect.NONE,
        "mcp.x.note: its arguments do not fit, words: 7 is not of type 'string'",
    )
    assert not (bench.folder / "effects.txt").exists()


def test_calls_of_one_server_run_side_by_side_and_no_more_than_so_many(bench: Bench) -> None:
    box = bench.start("silent")
    bench.until(lambda view: "1 tool" in view.text)
    replies = [asked(box, "echo", limit_s=30.0) for _ in range(AT_ONCE)]
    refused = answer(asked(box, "echo"))
    assert (refused.effect, refused.content) == (
        Effect.NONE,
        "mcp.x.echo: 16 calls of its server are open; wait for one to end, then ask again",
    )
    replies[0].abandon()
    later = asked(box, "echo", limit_s=0.3)
    assert answer(later).effect is Effect.UNKNOWN
    for reply in replies:
        reply.abandon()


def test_a_server_sees_what_is_configured_and_nothing_of_the_boxs_own(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOXMAKER_HONCHO__TOKEN", "of the box")
    box = bench.good()
    seen = json.loads(answer(asked(box, "environment")).content)
    assert seen["SECRET"] == "tell-nobody"
    assert "BOXMAKER_HONCHO__TOKEN" not in seen
    assert b"of the box" not in Path(f"/proc/{bench.pid()}/environ").read_bytes()
    assert set(seen) <= {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "TERM",
        "PYTHONPATH",
        "SECRET",
        "LANG",
        "LC_ALL",
        "TZ",
        "LC_CTYPE",
    }


def test_a_server_that_dies_in_a_call_leaves_its_effect_unknown_and_comes_back(bench: Bench) -> None:
    box = bench.start("dies")
    told = answer(asked(box, "echo"))
    assert (told.ok, told.effect) == (False, Effect.UNKNOWN)
    assert told.content.startswith("mcp.x.echo: its server ended before it answered (")
    assert told.content.endswith("; what it did is unknown, look before you do it again")
    view = bench.until(down)
    assert [tool.name for tool in view.tools] == ["mcp.x.echo"]
    bench.until(lambda view: "1 tool" in view.text)


def test_a_call_that_is_not_answered_in_its_time_ends_then(bench: Bench) -> None:
    box = bench.start("silent")
    bench.until(lambda view: "1 tool" in view.text)
    told = answer(asked(box, "echo", limit_s=0.2))
    assert (told.effect, told.content) == (
        Effect.UNKNOWN,
        "mcp.x.echo: it gave no answer in 0.2 s; what it did is unknown, look before you do it again",
    )


def test_a_server_has_the_time_that_its_table_gives_a_call(bench: Bench) -> None:
    box = bench.run(*PYTHON, "tests.doubles.mcp_servers", "silent", call_s=0.2)
    assert "it gave no answer in 0.2 s" in answer(asked(box, "echo", limit_s=50.0)).content


def family(bench: Bench, least: int) -> list[int]:
    """The bridge and all below it, when those are so many."""
    bridge = bench.pid()
    wait_for(lambda: len(below(bridge)) >= least)
    return [bridge, *below(bridge)]


@pytest.mark.parametrize("way", ["silent", "deaf"])
def test_nothing_of_a_stopped_server_is_left(bench: Bench, way: str) -> None:
    bench.start(way)
    bench.until(lambda view: "1 tool" in view.text)
    every = family(bench, 2)
    bench.runtime.stop("mcp/x")
    wait_for(lambda: not any(map(alive, every)))


def test_what_a_server_leaves_behind_ends_with_the_bridge_and_its_last_answer_counts(bench: Bench) -> None:
    box = bench.start("hasty", rest_s=60.0)
    bench.until(lambda view: "1 tool" in view.text)
    every = family(bench, 1)
    reply = asked(box, "echo")
    seen: list[int] = []

    def told() -> bool:
        seen.extend(below(every[0]))
        return not reply.pending

    wait_for(told)
    assert answer(reply).content == "done"
    bench.until(down)
    assert len(set(seen)) >= 3
    wait_for(lambda: not any(map(alive, (*every, *seen))))


def test_of_a_killed_bridge_no_server_is_left(bench: Bench) -> None:
    bench.start("deaf", rest_s=60.0)
    bench.until(lambda view: "1 tool" in view.text)
    every = family(bench, 2)
    os.kill(every[0], signal.SIGKILL)
    bench.until(down)
    wait_for(lambda: not any(map(alive, every)))


def test_a_second_answer_and_one_that_nobody_asked_for_are_nothing(bench: Bench) -> None:
    box = bench.start("twice")
    assert answer(asked(box, "echo")).content == "first"
    assert answer(asked(box, "echo")).content == "first"


def test_garbage_between_messages_and_what_a_server_asks_of_us_are_refused(bench: Bench) -> None:
    box = bench.start("garbage")
    assert answer(asked(box, "echo")).content == "s0 s1 s2"


def test_a_long_result_is_cut(bench: Bench) -> None:
    box = bench.start("long")
    told = answer(asked(box, "echo"))
    assert told.content == "x" * MOST_TEXT + f"\n… {LONG - MOST_TEXT} more characters"


def test_a_message_longer_than_any_may_be_ends_the_server(bench: Bench) -> None:
    box = bench.start("flood")
    told = answer(asked(box, "echo"))
    assert told.effect is Effect.UNKNOWN
    assert "it sent a message of more than 16 MB" in bench.until(down).text


def test_odd_tools_are_left_out_and_counted(bench: Bench) -> None:
    box = bench.start("odd")
    view = bench.until(lambda view: "tools" in view.text)
    assert view.text == "bad server 1, 100 tools, 208 that cannot be called"
    names = {tool.name for tool in view.tools}
    assert {"mcp.x.ok", "mcp.x.a.b", "mcp.x.deep"} <= names
    assert answer(asked(box, "ok")).content == "fine"


def test_a_server_that_never_shakes_hands_is_down_and_calls_are_told_so(bench: Bench) -> None:
    box = bench.start("hangs", start_s=0.3, rest_s=60.0)
    told = answer(asked(box, "echo"))
    why = "it did not list its tools in 0.3 s"
    assert told.effect is Effect.NONE
    assert told.content == f"mcp.x.echo: its server ended before it answered ({why}); it did not run"
    assert answer(asked(box, "echo")).content == (
        f"mcp.x.echo: its server is down ({why}); tell the owner, or try later"
    )
    assert not bench.until(down).ready


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("/nonexistent/server",), "/nonexistent/server is not there; mend command or folder"),
        (("sh", "-c", "exit 3"), "its process ended"),
        (("sh", "-c", "echo hello; sleep 600"), "it did not list its tools in 3 s"),
    ],
)
def test_a_program_that_is_no_server_is_down_with_a_sentence_and_tried_again(
    bench: Bench, command: tuple[str, ...], why: str
) -> None:
    bench.run(*command, start_s=3.0)
    assert why in bench.until(down).text
    bench.until(down)


def test_tools_that_come_later_are_known(bench: Bench) -> None:
    box = bench.good()
    assert answer(asked(box, "more")).content == "more"
    bench.until(lambda view: any(tool.name == "mcp.x.late" for tool in view.tools))


def test_a_kill_of_the_server_is_noticed_without_a_call(bench: Bench) -> None:
    bench.start("silent")
    bench.until(lambda view: "1 tool" in view.text)
    os.kill(bench.pid(), signal.SIGKILL)
    bench.until(down)
    bench.until(lambda view: "1 tool" in view.text)


OWNER = """
import sys
from pathlib import Path
from bxio.mcp.child import McpChild, Order
folder = Path(sys.argv[1])
command = (sys.executable, "-m", "tests.doubles.mcp_servers", "hangs")
order = Order(command=command, folder=folder, log=folder / "log", env={"PYTHONPATH": sys.argv[2]})
print(McpChild.start(order).pid, flush=True)
sys.stdin.read()
"""


def test_nothing_is_left_of_a_server_that_never_spoke_when_its_box_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OWNER, str(tmp_path), str(ROOT)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as owner:
        assert owner.stdout is not None
        bridge = int(owner.stdout.readline())
        wait_for(lambda: bool(below(bridge)))
        server = below(bridge)
        owner.kill()
    wait_for(lambda: not any(map(alive, (bridge, *server))))
