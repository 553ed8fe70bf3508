"""Lines about a set of grants."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bxcore.grants import Grant, Mode
from bxctl.granted_text import counted, expired, left_over

NOTES = Grant(id="notes", tool="read_file", mode=Mode.AUTO, text="")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_grants_are_counted_by_tool() -> None:
    assert counted([NOTES]) == "1 grant of yours: 1 for read_file"
    three = [replace(NOTES, tool="shell"), NOTES, replace(NOTES, id="more")]
    assert counted(three) == "3 grants of yours: 2 for read_file, 1 for shell"


def test_only_an_expired_grant_has_a_line() -> None:
    until_noon = replace(NOTES, expires=NOON)
    assert list(expired([NOTES, until_noon], Path("/g"), NOON.replace(hour=11))) == []
    (line,) = expired([NOTES, until_noon], Path("/g"), NOON)
    assert line.startswith("/g/notes.toml: warning: this grant has expired, at 2026-01-01T12:00:00+00:00; ")


def test_files_that_are_not_read_are_named(tmp_path: Path) -> None:
    assert left_over(tmp_path / "gone") is None
    for name in ("a.toml", "b.TOML", ".hidden", "c.toml.example"):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    assert left_over(tmp_path) == f"c.toml.example in {tmp_path} is no grant, its name does not end in .toml"
    for number in range(6):
        (tmp_path / f"d{number}.txt").touch()
    line = left_over(tmp_path)
    assert line is not None
    assert line.startswith("c.toml.example, d0.txt, d1.txt, d2.txt, d3.txt and 2 more in ")
