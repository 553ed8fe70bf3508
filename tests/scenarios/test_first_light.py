"""One question's whole way through a real process: asked, answered from memory, labelled, remembered."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box, run

QUESTION = "Where is the spare key? Ask your memory."


def thinker(body: Mapping[str, Any]) -> Step:
    """What a sensible model would do: ask the memory when told to, then say what it answered."""
    last = body["messages"][-1]
    text = last["content"]
    if last["role"] == "tool":
        return {"say": f"It says: {text}"}
    if text.splitlines()[0].startswith("Passages:"):  # embedded Honcho asks what its passages say
        return {"say": text.splitlines()[0].removeprefix("Passages: ")}
    if "Ask your memory" in text:
        return {"call": ["ask_memory", {"question": "Where is the spare key?"}]}
    return {"say": "I will remember that."}


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer(thinker) as server:
        yield server


@pytest.fixture
def box(model: ModelServer, tmp_path: Path) -> Iterator[Box]:
    with Box(tmp_path / "home", f'[model]\nurl = "{model.url}"\nprofile = "native"\n') as made:
        yield made


def ask_until_known(box: Box, session: str) -> dict[str, Any]:
    """Ask anew while the finished turn is on its way to Honcho."""
    deadline_s = time.monotonic() + 10
    while True:
        (turn,) = box.chat(QUESTION, session=session)
        if "blue tin" in turn["reply"] or time.monotonic() > deadline_s:
            return turn


@pytest.mark.timeout(90)
def test_what_was_said_is_answered_from_memory_in_another_session(box: Box) -> None:
    box.chat("Remember: the spare key is in the blue tin.")
    turn = ask_until_known(box, "other")
    assert "blue tin" in turn["reply"]
    (tool,) = turn["tools"]
    assert (tool["tool"], tool["ok"], tool["class"], tool["untrusted"]) == (
        "ask_memory",
        True,
        "private",
        False,
    )
    assert tool["content"].startswith("[1] memory · own · private\n    ")
    assert turn["label"] == {"class": "private", "untrusted": False}


@pytest.mark.timeout(90)
def test_what_was_said_outlives_a_kill(box: Box) -> None:
    box.chat("Remember: the spare key is in the blue tin.")
    box.stop(signal.SIGKILL)
    box.start()
    assert "blue tin" in ask_until_known(box, "other")["reply"]


@pytest.mark.timeout(90)
def test_each_tool_call_is_in_the_audit_before_and_after(box: Box) -> None:
    box.chat(QUESTION)
    audit = (box.home / "state" / "audit.jsonl").read_text()
    assert audit.count('"ask_memory"') >= 1
    kinds = [json.loads(line)["kind"] for line in audit.splitlines()]
    assert kinds == ["grants_loaded", "intent", "outcome"]


@pytest.mark.timeout(90)
def test_a_stop_ends_the_process_in_order_and_takes_its_socket_away(box: Box) -> None:
    assert box.stop() == 0
    assert "boxmaker has stopped" in box.said()
    assert not (box.home / "run" / "control.sock").exists()


@pytest.mark.timeout(90)
def test_a_second_process_on_the_same_folder_says_who_holds_it(box: Box) -> None:
    assert box.process is not None
    done = run("supervisor", "serve", "--home", str(box.home))
    assert done.returncode == 1
    assert f"another boxmaker (pid {box.process.pid}) runs on {box.home / 'state'}" in done.stderr


@pytest.mark.timeout(90)
def test_the_tree_is_shown_with_every_child_running(box: Box) -> None:
    names: list[str] = []

    def walk(node: Mapping[str, Any]) -> None:
        names.append(node["name"])
        assert node["state"] == "running", node
        for child in node["children"]:
            walk(child)

    (root,) = box.json("tree")
    while root["state"] == "starting":  # the socket answers a moment before the root is through
        (root,) = box.json("tree")
    walk(root)
    expected = "root clock dead-letters audit model memory.group outbox memory broker.group runs runner"
    assert " ".join(names).startswith(expected)


@pytest.mark.timeout(90)
@pytest.mark.parametrize("name", ["audit", "memory", "broker", "outbox", "loop", "model", "clock"])
def test_any_actor_restarted_by_the_operator_works_on(box: Box, name: str) -> None:
    done = box.bxctl("restart", name)
    assert done.returncode == 0, done.stderr
    (turn,) = box.chat("hello")
    assert turn["reply"] == "I will remember that."
