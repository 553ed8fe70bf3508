"""Chats at terminals over a whole box: seen by each other, queued, stopped, gone on with after its end."""

from __future__ import annotations

import contextlib
import signal
import stat
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.bxctl.person import Person, wait_for
from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box

pytestmark = [pytest.mark.timeout(120), pytest.mark.usefixtures("tools_image")]


class Model:
    """Says ``reply to TEXT``; to ``hold`` when ``go_on`` is set, and to ``later`` when ``later`` is."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.later = threading.Event()

    def step(self, body: Mapping[str, Any]) -> Step:
        text = str(body["messages"][-1]["content"])
        if "hold" in text:
            assert self.go_on.wait(60)
        if "later" in text:
            assert self.later.wait(60)
        if "silence" in text:
            return {"silence_s": 100}
        if "tool" in text:
            return {"call": ["shell", {"command": "sleep 7371"}]}
        if "stream" in text:
            return {"say": "word " * 2_000, "drip_s": 0.05}
        return {"say": f"reply to {text.rsplit(maxsplit=1)[-1]}"}


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model()
    yield model
    model.go_on.set()
    model.later.set()


@pytest.fixture
def box(tmp_path: Path, model: Model) -> Iterator[Box]:
    with (
        ModelServer(model.step) as server,
        Box(tmp_path / "home", f'[model]\nurl = "{server.url}"\nprofile = "native"\n') as started,
    ):
        yield started
        model.go_on.set()
        model.later.set()


def said(box: Box, session: str = "main") -> list[tuple[str, str | None]]:
    """Each turn's text and reply."""
    shown = box.json("sessions", "show", session)
    return [(turn["user"], turn["reply"]) for turn in shown["said"]]


def leave(person: Person) -> None:
    person.types("/quit\n")
    assert person.leaves() == 0


def test_a_second_chat_sees_the_first_ones_turn_and_who_speaks_and_keeps_its_half_line(box: Box) -> None:
    ada, bob = Person(box, "--speaker", "ada"), Person(box, "--speaker", "bob")
    bob.sees("> ")
    bob.types("half a l")
    bob.sees("half a l")
    ada.sees("> ")
    ada.types("hello one\n")
    ada.sees("reply to one")
    ada.sees("> ")
    bob.sees("[ada] hello one")
    bob.sees("reply to one")
    bob.sees("> half a l")
    bob.types("ine two\n")
    bob.sees("reply to two")
    ada.sees("[bob] half a line two")
    ada.sees("reply to two")
    ada.sees("> ")
    leave(ada)
    leave(bob)
    assert said(box) == [("hello one", "reply to one"), ("half a line two", "reply to two")]


def test_what_is_typed_while_a_turn_runs_is_queued_and_run_in_order(box: Box, model: Model) -> None:
    ada, bob = Person(box, "--speaker", "ada"), Person(box, "--speaker", "bob")
    for each in (ada, bob):
        each.sees("> ")
    ada.types("hold one\n")
    bob.sees("[ada] hold one")
    bob.types("number two\n")  # typed while another's turn runs
    bob.sees("· queued at place 1: number two")
    ada.types("number three\nnumber four\n")
    ada.sees("· queued at place 2: number three")
    ada.sees("· queued at place 3: number four")
    model.go_on.set()
    ada.sees("reply to one")
    ada.sees("[bob] number two")
    ada.sees("reply to two")
    ada.sees("· now: number three")
    ada.sees("reply to three")
    ada.sees("reply to four")
    ada.sees("> ")
    bob.sees("reply to two")
    bob.sees("[ada] number four")
    bob.sees("> ")
    leave(ada)
    leave(bob)
    assert [reply for _, reply in said(box)] == [f"reply to {n}" for n in ("one", "two", "three", "four")]


def test_a_stop_ends_the_turn_and_what_waits_runs(box: Box) -> None:
    person = Person(box)
    person.sees("> ")
    for text in ("a silence", "a stream"):
        person.types(f"{text}\n")
        if text == "a stream":
            person.sees("word word")
        person.types("next\n")
        person.sees("· queued at place 1: next")
        person.types("/stop\n")
        person.sees("the turn is being stopped")
        person.sees("\nstopped")
        person.sees("reply to next")
        person.sees("> ")
    leave(person)
    assert [reply is None for _, reply in said(box)] == [True, False, True, False]


def runs(command: str) -> bool:
    """Whether a process of this machine has exactly these words."""
    wanted = command.replace(" ", "\0").encode() + b"\0"
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if each.read_bytes() == wanted:
                return True
    return False


def test_a_stop_ends_what_a_tool_runs(box: Box) -> None:
    (box.home / "grants").mkdir(exist_ok=True)
    (box.home / "grants" / "sleep.toml").write_text('tool = "shell"\nmode = "auto"\ncommands = ["sleep"]\n')
    assert box.bxctl("grants", "reload").returncode == 0
    person = Person(box)
    person.sees("> ")
    person.types("a tool\n")
    person.sees("· shell")
    wait_for(lambda: runs("sleep 7371"))
    person.types("/stop\n")
    person.sees("\nstopped")
    wait_for(lambda: not runs("sleep 7371"))
    leave(person)
    assert said(box) == [("a tool", None)]


def test_stop_all_and_ctrl_c_take_back_what_waits(box: Box) -> None:
    ada, bob = Person(box, "--speaker", "ada"), Person(box, "--speaker", "bob")
    for each in (ada, bob):
        each.sees("> ")
    ada.types("a silence\n")
    bob.sees("[ada] a silence")
    bob.types("mine\n")
    bob.sees("· queued at place 1: mine")
    bob.types("\x03")
    bob.sees("· taken back: mine")
    wait_for(lambda: box.json("sessions")[0]["waiting"] == 0)  # the box hears of it an instant later
    ada.types("also\n")
    ada.sees("· queued at place 1: also")
    ada.types("/stop all\n")
    ada.sees("· taken back: also")
    ada.sees("\nstopped")
    ada.sees("> ")
    leave(ada)
    leave(bob)
    assert said(box) == [("a silence", None)]


def test_a_killed_box_interrupts_the_turn_and_the_chat_goes_on_when_it_is_back(
    box: Box, model: Model
) -> None:
    person = Person(box)
    person.sees("> ")
    person.types("hold one\n")
    person.types("number two\n")
    person.sees("· queued at place 1: number two")
    box.stop(signal.SIGKILL)
    person.sees("boxmaker has gone; this chat goes on when it is back")
    person.types("number three\n")
    person.sees("· waits for boxmaker to come back: number three")
    model.go_on.set()
    box.start()
    person.sees("boxmaker is back")
    person.sees("turn 1 was interrupted by boxmaker's end and is not run again: hold one")
    person.sees("· sent again, for it was not taken: number two")
    person.sees("reply to two")
    person.sees("reply to three")
    person.sees("> ")
    leave(person)
    assert said(box) == [
        ("hold one", None),
        ("number two", "reply to two"),
        ("number three", "reply to three"),
    ]


def test_each_of_several_waiting_messages_is_found_or_sent_again_by_itself(box: Box, model: Model) -> None:
    ada, bob = Person(box, "--speaker", "ada"), Person(box, "--speaker", "bob")
    for each in (ada, bob):
        each.sees("> ")
    bob.types("hold zero\n")
    ada.sees("[bob] hold zero")
    for place, text in ((1, "later one"), (2, "number two")):
        ada.types(f"{text}\n")
        ada.sees(f"· queued at place {place}: {text}")
    model.go_on.set()
    ada.sees("· now: later one")
    box.stop(signal.SIGKILL)
    ada.sees("boxmaker has gone")
    model.later.set()
    box.start()
    ada.sees("turn 2 was interrupted by boxmaker's end and is not run again: later one")
    ada.sees("· sent again, for it was not taken: number two")
    ada.sees("reply to two")
    ada.sees("> ")
    bob.sees("[ada] number two")
    bob.sees("> ")
    leave(ada)
    leave(bob)
    assert [reply for _, reply in said(box)] == ["reply to zero", None, "reply to two"]


def test_a_box_that_goes_while_nothing_is_said_leaves_the_prompt_and_the_half_line(box: Box) -> None:
    person = Person(box)
    person.sees("> ")
    person.types("half a l")
    person.sees("half a l")
    box.stop(signal.SIGKILL)
    person.sees("boxmaker has gone")
    person.sees("> half a l")
    box.start()
    person.sees("boxmaker is back")
    person.sees("> half a l")
    person.types("ine one\n")
    person.sees("reply to one")
    person.sees("> ")
    leave(person)
    assert said(box) == [("half a line one", "reply to one")]


def test_typed_lines_come_back_in_the_next_chat_and_a_secret_does_not(box: Box) -> None:
    first = Person(box)
    for text in ("hello one", "my password is hunter two", "/label"):
        first.sees("> ")
        first.types(f"{text}\n")
    first.sees("main: private")
    leave(first)
    file = box.home / "state" / "chat-history.jsonl"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "hunter" not in file.read_text()
    second = Person(box, "--session", "other")
    second.sees("> ")
    second.types("\x10\x10\x10\n")  # Ctrl-P three times: /quit, /label, hello one
    second.sees("reply to one")
    second.sees("> ")
    leave(second)


def test_the_orders_show_what_there_is(box: Box) -> None:
    person = Person(box)
    person.sees("> ")
    person.types("hello one\n")
    person.sees("reply to one")
    for order, seen in (
        ("/sessions", "hello one"),
        ("/memory", "whom it talks with"),
        ("/memory one", "one"),
        ("/label", "no stranger wrote in it"),
        ("/new other", "session other begins"),
        ("/label", "session other has said nothing yet"),
        ("//label", "reply to /label"),
        ("/new A B", "a session's name has"),
        ("/new main", "session main goes on behind its turn 1"),
        ("/stop", "no turn was running"),
    ):
        person.sees("> ")
        person.types(f"{order}\n")
        person.sees(seen)
    person.sees("> ")
    leave(person)
    assert said(box, "other") == [("/label", "reply to /label")]


def test_what_is_forgotten_goes_from_the_typed_lines_too(box: Box) -> None:
    person = Person(box)
    for text in ("the tin is in Mill Road", "hello two", "/memory mill road"):
        person.sees("> ")
        person.types(f"{text}\n")
    person.sees("Mill Road")
    person.sees("> ")
    leave(person)
    done = box.bxctl("memory", "forget", "--text", "mill road", "--yes")
    assert done.returncode == 0, done.stderr
    assert "2 lines typed in chats are forgotten" in done.stderr
    kept = (box.home / "state" / "chat-history.jsonl").read_text()
    assert "oad" not in kept
    assert "hello two" in kept
