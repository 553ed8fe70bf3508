"""``kill -9`` of a whole box while turns end; ``python -m tools.kills`` does it as often as one likes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import kills

TIMES = 6


@pytest.mark.timeout(180)
def test_no_turn_is_lost_doubled_or_misplaced_by_kills(tmp_path: Path) -> None:
    found = kills.run(TIMES, seed=20, folder=tmp_path)
    assert found.wrong == []
    assert found.counts["acknowledged"] > TIMES
    assert found.counts["trusted"] > 0
