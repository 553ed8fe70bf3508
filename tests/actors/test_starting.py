"""What is said before a start, without one; the whole process is in tests/test_supervisor.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.starting import Opening, opening, refuse
from bxcore.control import Exit


def test_a_home_without_a_configuration_opens_with_the_defaults(tmp_path: Path) -> None:
    opened = opening(["--home", str(tmp_path)])
    assert isinstance(opened, Opening)
    assert opened.settings.honcho.url == "embedded"
    assert opened.paths.state == tmp_path / "state"


def test_every_problem_of_a_configuration_is_said_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "boxmaker.toml").write_text("[loop]\nmax_rounds = 0\nidle = 3\n")
    assert opening(["--home", str(tmp_path)]) == Exit.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert [line.split(": ")[1] for line in said.err.splitlines()] == ["loop.max_rounds", "loop.idle"]


def test_a_configuration_that_is_named_must_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert opening(["--home", str(tmp_path), "--config", str(tmp_path / "none.toml")]) == Exit.USAGE
    assert "none.toml" in capsys.readouterr().err


def test_a_refusal_says_each_sentence_on_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert refuse(["one", "two"], Exit.FAILED) == Exit.FAILED
    assert capsys.readouterr().err == "one\ntwo\n"
