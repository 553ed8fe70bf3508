"""``kill -9`` between a reply and its sending, again and again: no acknowledged turn is lost or doubled."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doubles.honcho_wire import HonchoWire
from tests.doubles.outbox_process import SESSION

KILLS = 6
ROOT = Path(__file__).parents[2]


def begun(folder: Path, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.doubles.outbox_process", str(folder), str(count)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def killed_after(folder: Path, lines: int) -> int:
    """Kill it when it has said so many turns; the last turn that it said."""
    with begun(folder, 1000) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(lines)]
        process.kill()
        said += [int(line) for line in process.stdout.readlines() if line.strip().isdecimal()]
        return said[-1]


@pytest.mark.timeout(120)
def test_no_turn_is_lost_or_doubled_by_a_kill(tmp_path: Path) -> None:
    chance = random.Random(20)
    acknowledged = [killed_after(tmp_path, chance.randint(1, 12)) for _ in range(KILLS)]
    with begun(tmp_path, 0) as process:
        said, _ = process.communicate(timeout=60)
    assert said.splitlines()[-1] == "done"
    wire = HonchoWire(tmp_path)
    sent = wire.said(SESSION)
    wire.honcho.close()
    turns = len(sent) // 2
    assert turns >= acknowledged[-1]
    assert sent == [
        message
        for turn in range(1, turns + 1)
        for message in (("owner", f"turn {turn}"), ("boxmaker", f"reply {turn}"))
    ]
