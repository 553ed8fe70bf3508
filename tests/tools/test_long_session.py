"""A session over many epochs; ``python -m tools.long_session`` lives two thousand turns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import long_session
from tools.long_session import live

TURNS = 110


@pytest.mark.timeout(120)
def test_a_long_session_fails_nowhere_keeps_its_label_and_finds_what_was_said_first(tmp_path: Path) -> None:
    lived = live(tmp_path / "home", TURNS)
    assert lived.wrong == []
    assert lived.epochs >= 4
    assert lived.turns == TURNS


@pytest.mark.timeout(120)
def test_what_is_not_found_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_session, "FACT", "Remember: nothing.")
    monkeypatch.setattr(long_session, "STRANGER", "Xylophones?")
    wrong = " ".join(live(tmp_path / "home", 3).wrong)
    assert "the fact is not found" in wrong
    assert "has the label" in wrong
