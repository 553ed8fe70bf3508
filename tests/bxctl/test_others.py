"""A box that one chat started is not taken from under another one's turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bxcore.messages.loop import Say
from bxctl.others import wait_for_others
from bxctl.wire import Wire
from tests.bxctl.conftest import MakeBox
from tests.bxctl.test_commands_chat import started_turn
from tests.doubles.control_box import HELD, ControlBox, answered, turn

Out = pytest.CaptureFixture[str]


@pytest.fixture
def box(make: MakeBox) -> ControlBox:
    """A box whose turns end when the test says so."""
    return make(script=lambda message: HELD if isinstance(message, Say) else answered(message))


def end_the_turn(box: ControlBox) -> None:
    say = next(message for message in box.seen if isinstance(message, Say))
    box.held.pop().set(turn(say))


def test_it_waits_until_the_other_turn_has_ended(box: ControlBox, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        end_the_turn(box)

    monkeypatch.setattr("bxctl.others.talk", tell)
    with started_turn(box) as process:
        wait_for_others(Wire(box.path))
        assert told == ["another chat is in this box, which stops when that has left; Ctrl-C stops it now"]
        assert process.communicate(timeout=20)[0] == "the blue tin\n"


def test_it_does_not_wait_for_ever(box: ControlBox, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    monkeypatch.setattr("bxctl.others.WAIT_S", 1.0)
    with started_turn(box) as process:
        wait_for_others(Wire(box.path))
        assert "another chat is in this box" in capsys.readouterr().err
        assert process.poll() is None
        end_the_turn(box)
        process.communicate(timeout=20)


def test_ctrl_c_ends_the_wait(box: ControlBox, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(text: str) -> None:
        raise KeyboardInterrupt(text)

    monkeypatch.setattr("bxctl.others.talk", interrupt)
    with started_turn(box) as process:
        wait_for_others(Wire(box.path))
        end_the_turn(box)
        process.communicate(timeout=20)


def test_alone_it_does_not_wait_and_says_nothing(make: MakeBox, capsys: Out) -> None:
    wait_for_others(Wire(make().path))
    wait_for_others(Wire(Path("/nonexistent/control.sock")))
    assert capsys.readouterr() == ("", "")


def test_an_answer_that_names_no_connections_means_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    def roots(*_: Any) -> list[Any]:
        return [{"name": "root", "age_s": 9.0, "children": [{"name": "loop", "age_s": 9.0, "children": []}]}]

    monkeypatch.setattr(Wire, "call", roots)
    wait_for_others(Wire(Path("/nonexistent/control.sock")))
    assert capsys.readouterr().err == ""
