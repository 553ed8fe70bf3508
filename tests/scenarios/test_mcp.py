"""MCP servers behind a real box: found, granted, asked about, called, audited, labelled (spec 2.2, 2.3)."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bxio.mcp.descent import alive, below
from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import ROOT, Box, turns

pytestmark = pytest.mark.timeout(120)

START_S = 60.0


def choose(body: Mapping[str, Any]) -> Step:
    """Make the call that the person writes, ``TOOL {ARGUMENTS}``, and say what came of it."""
    last = body["messages"][-1]
    if last["role"] == "tool":
        return {"say": f"it says: {last['content']}"}
    tool, _, arguments = str(last["content"]).splitlines()[-1].partition(" ")
    if tool == "find_tool":
        return {"call": [tool, json.loads(arguments)]}
    return {"call": ["call_tool", {"name": tool, "arguments": json.loads(arguments)}]}


def server(name: str, *command: str, more: str = "") -> str:
    return f"[[mcp]]\nname = {json.dumps(name)}\ncommand = {json.dumps([sys.executable, *command])}\n{more}"


def grant(home: Path, name: str, tool: str, *lines: str) -> None:
    text = "\n".join((f'tool = "{tool}"', *lines))
    (home / "grants" / f"{name}.toml").write_text(f"{text}\n")


MakeBox = Callable[[str], Box]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MakeBox]:
    home = tmp_path / "home"
    (home / "grants").mkdir(mode=0o700, parents=True)
    home.chmod(0o700)
    boxes: list[Box] = []
    with ModelServer(choose) as model:

        def made(servers: str) -> Box:
            box = Box(home, f'[model]\nurl = "{model.url}"\nprofile = "native"\n{servers}')
            boxes.append(box.__enter__())
            return box

        yield made
        for box in boxes:
            box.__exit__(None, None, None)


def fact(box: Box, name: str) -> str:
    told: str = box.json("status")["facts"].get(name, "")
    return told


def ready(box: Box, name: str) -> None:
    """Wait until the server has listed its tools, or is down."""
    deadline_s = time.monotonic() + START_S
    while (found := fact(box, f"mcp {name}")) in ("", "starting"):
        assert time.monotonic() < deadline_s, found


def said(box: Box, text: str, session: str = "s") -> dict[str, Any]:
    """One turn of one call; the call as the turn tells it."""
    chat = box.chatting(text, session=session, more=["--approvals", "wait"])
    deadline_s = time.monotonic() + START_S
    while chat.poll() is None:
        for waiting in box.json("approvals"):
            assert time.monotonic() < deadline_s
            assert box.bxctl("approve", waiting["code"]).returncode == 0
    (turn,) = turns(chat)
    (made,) = turn["tools"]
    return {**made, "session": turn["label"]}


def test_a_server_from_a_package_is_found_asked_about_and_called(make: MakeBox, tmp_path: Path) -> None:
    grant(tmp_path / "home", "time", "mcp.time.*", 'mode = "ask"', 'result_class = "public"')
    box = make(server("time", "-m", "mcp_server_time", "--local-timezone", "Etc/UTC"))
    ready(box, "time")
    assert fact(box, "mcp time").startswith("mcp-time 20")
    found = said(box, 'find_tool {"query": "convert the time between timezones"}')
    assert json.loads(found["content"].splitlines()[0])["name"] == "mcp.time.convert_time"
    assert found["session"] == {"class": "private", "untrusted": False}
    told = said(box, 'mcp.time.get_current_time {"timezone": "Europe/Berlin"}')
    assert '"timezone": "Europe/Berlin"' in told["content"]
    assert (told["tool"], told["ok"], told["class"], told["untrusted"]) == (
        "mcp.time.get_current_time",
        True,
        "public",
        True,
    )
    assert told["session"] == {"class": "private", "untrusted": True}
    wrong = said(box, 'mcp.time.get_current_time {"timezone": "Mars"}', "t")
    assert not wrong["ok"]
    assert "Mars" in wrong["content"]
    unknown = said(box, "mcp.time.get_current_tim {}", "u")
    assert "did you mean mcp.time.get_current_time" in unknown["content"]
    audited = box.json("audit", "tail")
    assert [(each["tool"], each["outcome"], each["approver"]) for each in audited] == [
        ("mcp.time.get_current_time", "ok", "bxctl"),
        ("mcp.time.get_current_time", "failed", "bxctl"),
    ]
    assert box.bxctl("inspect", "mcp/time").returncode == 0
    assert box.bxctl("doctor").returncode == 0


def test_of_a_killed_box_no_server_is_left_though_it_hears_nothing(make: MakeBox) -> None:
    box = make(server("deaf", "-m", "tests.doubles.mcp_servers", "deaf", more=f'folder = "{ROOT}"\n'))
    ready(box, "deaf")
    assert box.process is not None
    below_it = below(box.process.pid)
    assert len(below_it) >= 3
    assert box.stop(signal.SIGKILL) == -signal.SIGKILL
    deadline_s = time.monotonic() + START_S
    while any(map(alive, below_it)):
        assert time.monotonic() < deadline_s


def test_no_grant_no_call_and_the_refusal_says_what_is_wanting(make: MakeBox, tmp_path: Path) -> None:
    grant(tmp_path / "home", "echo", "mcp.good.echo", 'mode = "auto"', "untrusted = false")
    secret = tmp_path / "token"
    secret.write_text("tell-nobody-17\n")
    grant(tmp_path / "home", "lost", "mcp.goo.*", 'mode = "auto"')
    more = f'env = {{ PYTHONPATH = "{ROOT}" }}\nenv_files = {{ TOKEN = "{secret}" }}\nfolder = "{tmp_path}"\n'
    box = make(server("good", "-m", "tests.doubles.good_mcp_server", str(tmp_path), more=more))
    ready(box, "good")
    listed = {each["id"]: each["about"] for each in box.json("grants")["grants"]}
    assert listed["lost"] == "no call, boxmaker.toml has no MCP server goo; did you mean good?"
    assert listed["echo"] == "every call"
    refused = said(box, 'mcp.good.note {"words": "x"}')
    assert "no grant allows mcp.good.note; tell the owner that it needs one" in refused["content"]
    assert not (tmp_path / "effects.txt").exists()
    echoed = said(box, 'mcp.good.echo {"words": "hello"}')
    assert (echoed["content"], echoed["untrusted"]) == ("hello", False)
    found = said(box, 'find_tool {"query": "echo: say it back"}', "f")
    assert "of the MCP server good: Say it back" in found["content"]
    assert "\\n" not in found["content"]
    log = "".join(path.read_text(errors="replace") for path in (tmp_path / "home").rglob("*.log"))
    assert "tell-nobody-17" not in log
