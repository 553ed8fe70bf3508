"""``kill -9`` between a reply and its sending, again and again: no acknowledged turn is lost or doubled."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doubles.honcho_wire import HonchoWire
from tests.doubles.outbox_process import SESSION
from tests.doubles.troubled_honcho import TroubledHoncho

KILLS = 5
ROOT = Path(__file__).parents[2]


def begun(folder: Path, count: int, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.doubles.outbox_process", str(folder), str(count), *more],
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


@pytest.mark.timeout(240)
def test_no_turn_is_lost_or_doubled_by_a_kill_at_any_request_of_a_server_in_trouble(tmp_path: Path) -> None:
    """The server outlives the box: it stores what came although nobody waits for the answer any more."""
    chance = random.Random(4)
    kinds = ["ok", "ok", "ok", "late 0.05", "late 0.2", "stored, reset", "reset", "503"]
    honcho = TroubledHoncho(tmp_path / "server").open()
    honcho.fate = lambda _method, _path: chance.choice(kinds)
    said = 0
    for _ in range(KILLS):
        requests = len(honcho.requests) + chance.randint(1, 8)
        with begun(tmp_path, 40, honcho.url) as process:
            assert process.stdout is not None
            for line in process.stdout:
                said = int(line) if line.strip().isdecimal() else said
                if len(honcho.requests) >= requests or line == "done\n":
                    break
            process.kill()
            rest = [int(line) for line in process.stdout.readlines() if line.strip().isdecimal()]
            said = max([said, *rest])
    with begun(tmp_path, 0, honcho.url) as process:
        out, _ = process.communicate(timeout=60)
    assert out.splitlines()[-1] == "done"
    found = honcho.said(SESSION)
    honcho.end()
    assert len(found) >= said > 0
    assert found == [f"turn {turn}" for turn in range(1, len(found) + 1)]
