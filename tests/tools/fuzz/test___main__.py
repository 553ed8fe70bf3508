"""The command: it prints the seed and a line for each target, and keeps what it found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.fuzz import __main__ as command
from tools.fuzz import running
from tools.fuzz.target import Target, promise


def test_one_target_is_run_from_a_seed_and_told_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--target", "urls", "--minutes", "0.002", "--seed", "5"]) == 0
    first, line, last = capsys.readouterr().out.splitlines()
    assert first == "seed 5, 1 targets, 0.002 minutes"
    assert line.startswith("urls: ")
    assert line.endswith(", 0 findings")
    assert last.startswith("in all: ")


def test_a_finding_is_printed_kept_and_fails_the_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = Target(name="broken", check=lambda _data: promise(kept=False, said="never"), seeds=(b"x",))
    monkeypatch.setattr(command, "TARGETS", (broken,))
    monkeypatch.setattr(command, "save", lambda finding: running.save(finding, tmp_path))
    assert command.main(["--minutes", "0.002"]) == 1
    shown = capsys.readouterr().out
    assert "BrokenPromiseError: never" in shown
    assert [str(path) in shown for path in tmp_path.iterdir()] == [True]


def test_an_unknown_target_is_refused_with_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--target", "nothing"])
    assert "sanitize" in capsys.readouterr().err
