"""The example grants at work in a real process: files, a command and a page, decided, asked, run, audited."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.far_place import says
from tests.doubles.loopback import LoopbackServer
from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box, run, turns

pytestmark = [pytest.mark.timeout(120), pytest.mark.usefixtures("tools_image")]

OWNER = 1000
"""Who tools are when the box is root: the folders are theirs."""
PAGE = (
    b"<html><head><title>Opening hours</title></head><body><p>Open from nine.</p><script>x()</script></body>"
)


def choose(body: Mapping[str, Any]) -> Step:
    """Make the call that the person writes, ``TOOL {ARGUMENTS}``, and say what came of it."""
    last = body["messages"][-1]
    if last["role"] == "tool":
        return {"say": f"it says: {last['content']}"}
    tool, _, arguments = str(last["content"]).splitlines()[-1].partition(" ")
    if tool == "find_tool":
        return {"call": [tool, json.loads(arguments)]}
    return {"call": ["call_tool", {"name": tool, "arguments": json.loads(arguments)}]}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    made = tmp_path / "notes"
    made.mkdir()
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(folder.stat().st_mode | 0o055)
    (made / "list.txt").write_text("milk\neggs\n")
    if os.geteuid() == 0:
        os.chown(made, OWNER, OWNER)
    return made


@pytest.fixture
def page() -> Iterator[LoopbackServer]:
    with LoopbackServer(says("200 OK", "content-type: text/html; charset=utf-8", body=PAGE)) as server:
        yield server


@pytest.fixture
def box(notes: Path, page: LoopbackServer, tmp_path: Path) -> Iterator[Box]:
    """A box with the examples that ``boxmaker init`` wrote, their folders and hosts being the test's."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    assert run("bxctl.boxmaker", "init", "--home", str(home)).returncode == 0
    ours = {
        "/home/me/notes": str(notes),
        "/home/me/drafts": str(notes),
        "hosts = [": f'hosts = ["docs.example.org:{page.port}", ',
    }
    for example in (home / "grants").glob("*.example"):
        text = example.read_text()
        for theirs, mine in ours.items():
            text = text.replace(theirs, mine)
        example.with_suffix("").write_text(text)
    with ModelServer(choose) as model:
        toml = f'[model]\nurl = "{model.url}"\nprofile = "native"\n[containers]\nbackend = "podman"\n'
        with Box(home, toml, "tests.doubles.open_box") as made:
            yield made


def call(box: Box, tool: str, session: str, **arguments: Any) -> dict[str, Any]:
    """One turn of one call, which the owner approves elsewhere when asked; the call as the turn tells it."""
    chat = box.chatting(f"{tool} {json.dumps(arguments)}", session=session, more=["--approvals", "wait"])
    deadline_s = time.monotonic() + 60
    while chat.poll() is None:
        for waiting in box.json("approvals"):
            assert time.monotonic() < deadline_s
            assert box.bxctl("approve", waiting["code"]).returncode == 0
    (turn,) = turns(chat)
    (made,) = turn["tools"]
    return {**made, "session": turn["label"]}


def test_the_example_grants_let_each_tool_do_real_work(box: Box, notes: Path, page: LoopbackServer) -> None:
    listed = call(box, "shell", "look", command=f"ls {notes} | wc -l")
    assert (listed["ok"], listed["content"].split()[-1], listed["untrusted"]) == (True, "1", True)

    read = call(box, "read_file", "read", path=f"{notes}/list.txt")
    assert (read["content"], read["class"], read["untrusted"]) == ("milk\neggs\n", "private", True)
    assert read["session"] == {"class": "private", "untrusted": True}

    written = call(box, "write_file", "read", path=f"{notes}/new.txt", content="bread\n")
    assert written["ok"], written["content"]
    assert (notes / "new.txt").read_text() == "bread\n"

    fetched = call(box, "http_fetch", "fetch", url=f"http://docs.example.org:{page.port}/hours")
    assert "Open from nine." in fetched["content"]
    assert "x()" not in fetched["content"]
    assert (fetched["class"], fetched["untrusted"]) == ("public", True)
    assert fetched["session"] == {"class": "private", "untrusted": True}

    audited = box.json("audit", "tail")
    told = [(each["tool"], each["outcome"]) for each in audited]
    assert told == [(tool, "ok") for tool in ("shell", "read_file", "write_file", "http_fetch")]
    assert [each["approver"] for each in audited] == ["bxctl", None, "bxctl", None]
    assert box.bxctl("audit", "verify").returncode == 0


def test_the_model_finds_the_granted_tools(box: Box) -> None:
    made = call(box, "find_tool", "find", query="read a file")
    assert json.loads(made["content"].splitlines()[0])["name"] == "read_file"


def test_what_no_grant_covers_is_refused_and_audited(box: Box, notes: Path) -> None:
    for tool, arguments in {
        "read_file": {"path": "/etc/passwd"},
        "write_file": {"path": f"{notes}/../elsewhere", "content": "x"},
        "shell": {"command": "curl http://docs.example.org"},
        "http_fetch": {"url": "http://169.254.169.254/latest/meta-data"},
    }.items():
        made = call(box, tool, "bad", **arguments)
        assert not made["ok"]
        assert "no grant" in made["content"] or "does not" in made["content"], made["content"]
    assert [each["outcome"] for each in box.json("audit", "tail")] == ["refused"] * 4
    assert sorted(each.name for each in notes.iterdir()) == ["list.txt"]
