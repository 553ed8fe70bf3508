"""``kill -9`` at moments of turns; ``python -m tools.turn_kills`` does it as often as one likes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools.turn_kills.__main__ import run

TIMES = 6


@pytest.mark.timeout(180)
def test_no_kill_loses_what_was_shown_or_doubles_an_effect(tmp_path: Path) -> None:
    found = run(TIMES, 20, tmp_path)
    assert found.wrong == []
    assert found.counts["told"] > TIMES
    assert found.counts["pages"] > TIMES
    assert found.counts["lines"] or shutil.which("bwrap") is None
    assert found.counts["shown tool_ended"] > TIMES
