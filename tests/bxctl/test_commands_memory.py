"""``bxctl memory`` without a box: what is mistyped is said before anything is asked."""

from __future__ import annotations

import pytest

from bxctl import main as bxctl

Out = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["add", "user"], "write bxctl memory add FILE TEXT, with the text in quotes"),
        (["replace", "abcdef"], "write bxctl memory replace ID TEXT"),
        (["remove"], "write bxctl memory remove ID"),
        (["undo", "one"], "'one' is no number; bxctl memory log numbers the changes"),
        (["forget"], "name a session, or a text: bxctl memory forget --text TEXT"),
        (["forget", "main", "--text", "x"], "name a session, or a text"),
        (["consolidate", "user", "x", "--accept", "p"], "name the entries of the proposal by their numbers"),
        (["list", "--yes"], "--yes is for bxctl memory forget and outbox and import"),
        (["search"], "write bxctl memory search QUESTION"),
    ],
)
def test_a_mistyped_wish_says_how_it_is_written(words: list[str], sentence: str, capsys: Out) -> None:
    assert bxctl.main(["memory", *words, "--socket", "/nonexistent/s"]) == 2
    assert sentence in capsys.readouterr().err


def test_an_unknown_file_is_no_such_thing(capsys: Out) -> None:
    assert bxctl.main(["memory", "list", "diary", "--socket", "/nonexistent/s"]) == 4
    assert "write memory, user or notes" in capsys.readouterr().err


def test_a_box_that_does_not_run_is_said(capsys: Out) -> None:
    assert bxctl.main(["memory", "--socket", "/nonexistent/s"]) == 3
    assert "boxmaker is not running" in capsys.readouterr().err


def test_its_help_names_every_action(capsys: Out) -> None:
    with pytest.raises(SystemExit):
        bxctl.main(["memory", "--help"])
    shown = capsys.readouterr().out
    for action in ("list", "log", "add", "replace", "remove", "undo", "trust", "search", "forget", "outbox"):
        assert f"memory {action}" in shown
