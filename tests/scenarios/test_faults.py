"""Faults in the middle of a turn: the box stays up, says what happened in one sentence, and loses nothing."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.bad_manners import silent
from tests.doubles.loopback import LoopbackServer
from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box, turns

pytestmark = pytest.mark.timeout(120)


class Thinker:
    """A model that calls ``ask_memory`` when told to, and holds ``slowly`` until it is let go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.go = threading.Event()

    def __call__(self, body: Mapping[str, Any]) -> Step:
        last = body["messages"][-1]
        if last["role"] == "tool":
            return {"say": f"The tool said: {last['content']}"}
        said = last["content"].splitlines()[-1]  # what stands before it is the date, and what was recalled
        if said == "ask":
            return {"call": ["ask_memory", {"question": "Where is the spare key?"}]}
        if said == "slowly":
            self.reached.set()
            self.go.wait(timeout=60)
        return {"say": f"You said: {said}"}


@pytest.fixture
def thinker() -> Iterator[Thinker]:
    made = Thinker()
    yield made
    made.go.set()


@pytest.fixture
def make_box(thinker: Thinker, tmp_path: Path) -> Iterator[Callable[[str], Box]]:
    boxes: list[Box] = []
    with ModelServer(thinker) as server:

        def make(more: str = "") -> Box:
            toml = f'[model]\nurl = "{server.url}"\nprofile = "native"\n{more}'
            boxes.append(Box(tmp_path / "home", toml).start())
            return boxes[-1]

        yield make
        thinker.go.set()
        for box in boxes:
            box.__exit__()


def wait_for(what: Callable[[], object], within_s: float = 20) -> None:
    deadline_s = time.monotonic() + within_s
    while not what():
        assert time.monotonic() < deadline_s, "it did not happen in time"
        threading.Event().wait(0.05)


def test_memory_restarted_during_a_call_fails_that_call_and_the_next_turn_works(
    make_box: Callable[[str], Box],
) -> None:
    with LoopbackServer(silent) as honcho:
        box = make_box(f'[honcho]\nurl = "{honcho.url}"\n')
        chat = box.chatting("ask", "hello")
        wait_for(lambda: any("own" in name for name in names(box)))
        assert box.bxctl("restart", "memory").returncode == 0
        first, second = turns(chat)
    (tool,) = first["tools"]
    assert not tool["ok"]
    assert first["reply"].startswith("The tool said: ")
    assert second["reply"] == "You said: hello"


def names(box: Box) -> list[str]:
    found: list[str] = []

    def walk(node: Mapping[str, Any]) -> None:
        found.append(node["name"])
        for child in node["children"]:
            walk(child)

    for node in box.json("tree"):
        walk(node)
    return found


def test_half_a_grant_file_and_a_restart_of_the_broker_leave_the_box_up_with_its_old_grants(
    make_box: Callable[[str], Box],
) -> None:
    box = make_box("")
    grants = box.home / "grants"
    grants.mkdir()
    (grants / "notes.toml").write_text('tool = "shell"\nmode = "deny"\n')
    assert box.bxctl("grants", "reload").returncode == 0
    (grants / "half.toml").write_text('tool = "read_')
    for name in ("broker", "broker.group"):
        assert box.bxctl("restart", name).returncode == 0
    box.chat("hello")
    listed = box.json("grants")
    assert "notes" in [row["id"] for row in listed["grants"]]
    assert all("half.toml" in problem for problem in listed["problems"])
    assert listed["problems"]
    for look in ("status", "doctor"):
        assert "half.toml" in box.bxctl(look).stdout
    (grants / "half.toml").unlink()
    assert box.bxctl("restart", "broker").returncode == 0
    assert box.json("grants")["problems"] == []


def test_a_kill_during_a_turn_is_told_at_the_next_one_and_loses_no_acknowledged_turn(
    make_box: Callable[[str], Box], thinker: Thinker
) -> None:
    box = make_box("")
    box.chat("first")
    chat = box.chatting("slowly")
    assert thinker.reached.wait(timeout=20)
    box.stop(signal.SIGKILL)
    thinker.go.set()
    chat.communicate(timeout=30)
    assert chat.returncode != 0
    box.start()
    after = box.chatting("after")
    out, err = after.communicate(timeout=30)
    assert "You said: after" in out
    assert "interrupted" in err
    shown = box.json("sessions", "show", "main")
    assert [each["user"] for each in shown["said"]] == ["first", "slowly", "after"]


def test_a_model_that_is_down_is_one_clear_sentence_and_the_box_stays_up(tmp_path: Path) -> None:
    with Box(tmp_path / "home", '[model]\nurl = "http://127.0.0.1:9/v1"\nprofile = "native"\n') as box:
        chat = box.chatting("hello")
        out, err = chat.communicate(timeout=60)
        assert chat.returncode == 1
        assert "model" in err
        assert "Traceback" not in out + err
        assert box.bxctl("tree").returncode == 0


def test_a_hanging_ask_holds_up_no_other_session(make_box: Callable[[str], Box]) -> None:
    with LoopbackServer(silent) as honcho:
        box = make_box(f'[honcho]\nurl = "{honcho.url}"\nchat_wait_s = 8.0\n')
        hanging = box.chatting("ask", session="slow")
        wait_for(lambda: any("own" in name for name in names(box)))
        (turn,) = box.chat("hello", session="quick")
        assert turn["reply"] == "You said: hello"
        assert hanging.poll() is None
        (asked,) = turns(hanging)
    assert "own: unavailable" in asked["tools"][0]["content"]
