"""How a turn is shown, and where texts come from."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest

from bxcore.control.answers import LineJson, TurnJson
from bxctl.talking.prompt import NotTextError, lines_of_stdin
from bxctl.talking.screen import JsonScreen, PeopleScreen

Out = pytest.CaptureFixture[str]


def turn(reply: str | None) -> TurnJson:
    return {
        "session": "main",
        "turn": 1,
        "reply": reply,
        "tools": [],
        "label": {"class": "private", "untrusted": False},
        "usage": {"prompt": 1, "cached": 0, "completion": 1},
    }


def delta(text: str) -> LineJson:
    return {"kind": "text_delta", "text": text}


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> PeopleScreen:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    return PeopleScreen()


def test_without_a_terminal_only_the_reply_is_printed(capsys: Out) -> None:
    screen = PeopleScreen()
    for text in ("the ", "tin"):
        screen.show(delta(text))
    screen.finish(turn("the tin"))
    assert capsys.readouterr() == ("the tin\n", "")


def test_a_terminal_sees_the_text_as_it_comes_and_once(terminal: PeopleScreen, capsys: Out) -> None:
    terminal.show(delta("the "))
    assert capsys.readouterr().out == "the "
    terminal.show(delta("tin"))
    terminal.finish(turn(" the tin\n"))
    assert capsys.readouterr().out == "tin\n"


def test_text_before_a_tool_call_ends_its_line(terminal: PeopleScreen, capsys: Out) -> None:
    terminal.show(delta("let me look"))
    terminal.show({"kind": "tool_started", "tool": "recall", "arguments": "{}"})
    terminal.show(delta("the tin"))
    terminal.finish(turn("the tin"))
    out, err = capsys.readouterr()
    assert (out, err) == ("let me look\nthe tin\n", "· recall {}\n")


def test_a_reply_that_was_not_what_was_streamed_is_printed(terminal: PeopleScreen, capsys: Out) -> None:
    terminal.show(delta("half of"))
    terminal.finish(turn("the whole"))
    assert capsys.readouterr().out == "half of\nthe whole\n"


def test_a_turn_without_a_reply_prints_none(terminal: PeopleScreen, capsys: Out) -> None:
    terminal.finish(turn(None))
    assert capsys.readouterr().out == ""


def test_a_reply_cannot_steer_the_terminal(terminal: PeopleScreen, capsys: Out) -> None:
    terminal.show(delta("\x1b]0;x\x07"))
    terminal.finish(turn("\x1b]0;x\x07"))
    assert capsys.readouterr().out == "\\x1b]0;x\\x07\n"


@pytest.mark.parametrize(("ok", "begin", "most"), [(True, "  → ", 240), (False, "  → failed: ", 640)])
def test_a_long_result_is_shown_short_and_with_its_label(
    capsys: Out, *, ok: bool, begin: str, most: int
) -> None:
    """A failure has more room: what to do stands at its end."""
    screen = PeopleScreen()
    call = {
        "tool": "recall",
        "arguments": "{}",
        "ok": ok,
        "content": "word\n" * 300,
        "class": "secret",
        "untrusted": True,
    }
    screen.show({"kind": "tool_ended", "call": call})  # type: ignore[typeddict-item]
    err = capsys.readouterr().err
    assert err.startswith(f"{begin}word word ")
    assert err.endswith("… (secret, untrusted)\n")
    assert most - 60 < len(err) < most


def test_on_a_terminal_what_is_no_data_is_dim(
    terminal: PeopleScreen, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal.show({"kind": "notice", "text": "loading \x1b[2J"})
    assert capsys.readouterr().err == "\033[2mloading \\x1b[2J\033[0m\n"


def test_json_shows_notices_to_the_person_and_turns_to_the_program(capsys: Out) -> None:
    screen = JsonScreen()
    screen.show({"kind": "notice", "text": "loading"})
    screen.show(delta("x"))
    screen.finish(turn("hi"))
    out, err = capsys.readouterr()
    assert json.loads(out) == turn("hi")
    assert err == "loading\n"


def test_lines_of_stdin_say_which_line_cannot_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bxctl.talking.prompt.LONGEST_LINE", 8)
    stdin = SimpleNamespace(buffer=io.BytesIO(b" a \n\n" + b"x" * 30 + b"\nexactly8\n\xff\nlast"))
    monkeypatch.setattr("sys.stdin", stdin)
    lines = [line.sentence if isinstance(line, NotTextError) else line for line in lines_of_stdin()]
    assert lines == [
        "a",
        "line 3 is longer than 1 MiB; it was not sent",
        "exactly8",
        "line 5 is not UTF-8 text; it was not sent",
        "last",
    ]
