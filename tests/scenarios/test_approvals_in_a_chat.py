"""Approvals over the whole box: a person at a terminal, an operator elsewhere, nobody at all."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.bxctl.person import Person
from tests.doubles.model_server import ModelServer, Step
from tests.scenarios.box import Box, turns

pytestmark = [pytest.mark.timeout(120), pytest.mark.usefixtures("tools_image")]
PROMPT = "Ctrl-C stops the turn: "
NO_OTHER_WAY = "do not try another way, tell the owner"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    """A box whose model reads one file in every turn, under a grant that asks."""
    notes, home = tmp_path / "notes", tmp_path / "home"
    for folder in (notes, home, home / "grants"):
        folder.mkdir()
    (notes / "a.md").write_text("the key is in the blue tin\n")
    (home / "grants" / "notes.toml").write_text(f'tool = "read_file"\nmode = "ask"\npaths = ["{notes}"]\n')

    def step(body: Mapping[str, Any]) -> Step:
        last = body["messages"][-1]
        if last["role"] == "tool":
            return {"say": f"The tool said: {last['content']}"}
        return {"call": ["read_file", {"path": f"{notes}/a.md"}]}

    with (
        ModelServer(step) as server,
        Box(home, f'[model]\nurl = "{server.url}"\nprofile = "native"\n') as started,
    ):
        yield started


def decided(box: Box) -> list[tuple[str | None, str, str | None]]:
    """Of each audited call: the decision, the outcome, and who approved or denied it."""
    calls = box.json("audit")
    return [(call["decision"], call["outcome"], call["approver"]) for call in calls]


def test_a_person_denies_once_and_then_approves_for_the_session(box: Box) -> None:
    person = Person(box)
    person.sees("> ")
    person.types("read it\n")
    person.sees("why: the grant notes asks each time")
    person.sees(PROMPT)
    person.types("n\n")
    person.sees(f"the owner denied this call, and it did not run; {NO_OTHER_WAY}")
    person.sees("> ")
    person.types("read it after all\n")
    person.sees(PROMPT)
    person.types("s\n")
    person.sees("was approved for the session by the chat")
    person.sees("> ")
    person.types("and again\n")
    person.sees("The tool said")  # without a question, though the session holds a stranger's words now
    person.sees("> ")
    person.types("/quit\n")
    assert person.leaves() == 0
    first, *others = decided(box)
    assert first == (None, "did not run", "the chat")
    assert [(decision, approver) for decision, _, approver in others] == [("allowed", "the chat")] * 2
    assert box.bxctl("audit", "verify").returncode == 0


def test_one_who_waits_is_answered_from_elsewhere(box: Box) -> None:
    chat = box.chatting("read it", more=["--approvals", "wait"])
    assert chat.stderr is not None
    code = chat.stderr.readline().split()[0]
    (pending,) = box.json("approvals")
    assert (pending["code"], pending["tool"], pending["session"]) == (code, "read_file", "main")
    assert box.bxctl("approve", code.upper()).returncode == 0
    (turn,) = turns(chat)
    assert box.bxctl("approve", code).returncode in {1, 4}
    assert decided(box)[0][::2] == ("allowed", "bxctl")
    assert turn["label"]["untrusted"] is True


def waiting(box: Box) -> str:
    """The code of the one call that waits, as soon as there is one."""
    deadline_s = time.monotonic() + 20
    while not (found := box.json("approvals")):
        assert time.monotonic() < deadline_s
    return str(found[0]["code"])


def test_a_killed_box_runs_nothing_of_what_waited_and_says_so(box: Box) -> None:
    chat = box.chatting("read it", more=["--approvals", "wait"])
    code = waiting(box)
    box.stop(signal.SIGKILL)
    chat.communicate(timeout=30)
    box.start()
    assert box.json("approvals") == []
    late = box.bxctl("approve", code)
    assert (late.returncode, late.stderr) == (1, f"{code} has expired with the box's end, and did not run\n")
    after = box.chatting("go on")
    _, said = after.communicate(timeout=60)
    assert "waited for the owner's approval when the box ended; it did not run" in said
    assert decided(box)[0] == (None, "did not run", "the end of the box")
    assert box.bxctl("audit", "verify").returncode == 0


def test_a_restarted_broker_still_knows_what_waits(box: Box) -> None:
    chat = box.chatting("read it", more=["--approvals", "wait"])
    code = waiting(box)
    assert box.bxctl("restart", "broker").returncode == 0
    assert waiting(box) == code
    assert box.bxctl("approve", code).returncode == 0
    (turn,) = turns(chat)
    assert "blue tin" in turn["tools"][0]["content"]


def test_where_nobody_can_be_asked_it_is_denied_at_once(box: Box) -> None:
    (turn,) = box.chat("read it")
    (tool,) = turn["tools"]
    assert tool["content"] == f"nobody could put this call to the owner, and it did not run; {NO_OTHER_WAY}"
    assert box.json("approvals") == []


def test_ctrl_c_at_the_question_withdraws_it(box: Box) -> None:
    person = Person(box)
    person.sees("> ")
    person.types("read it\n")
    person.sees(PROMPT)
    person.types("\x03")
    person.sees("stopping the turn")
    person.sees("> ")
    assert box.json("approvals") == []
    person.types("/quit\n")
    assert person.leaves() == 0
    assert [each["type"] for each in box.json("dead-letters")["letters"]] == ["ToolOutcome"]
    box.stop()
    assert "dead letter" not in box.said()  # nothing is wrong with that
