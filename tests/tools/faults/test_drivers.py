"""A check that sees nothing would make the sweep worthless: each sees the loss of what its driver wrote."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.faults import sweeping, tracing
from tools.faults.drivers import DRIVERS

LOSSES = {
    "session": ("sessions/k3f/0.jsonl", "cannot be read afterwards"),
    "epochs": ("sessions/k3f/2.jsonl", "cannot be read afterwards"),
    "mended": ("sessions/k3f/baseline.json", "acknowledged and lost again"),
    "ledger": ("ledger.jsonl", "acknowledged and not there"),
    "marks": ("delivered.jsonl", "acknowledged and not there"),
    "summaries": ("delivered.jsonl", "acknowledged and not there"),
    "erasures": ("forgotten.jsonl", "acknowledged and not there"),
    "audit": ("audit.jsonl", "acknowledged and not there"),
    "approvals": ("approvals.jsonl", "acknowledged and not there"),
    "memory": ("memory/notes.md", "acknowledged and not there"),
    "results": ("results/t4c1.txt", "result 4 was kept and is gone"),
    "state": ("state/schema", "cannot be read afterwards"),
    "honcho": ("honcho.sqlite", "acknowledged and not there"),
}
"""A file that is gone after the driver was told that it is on disk, and what the check says."""
UNDONE = {
    "forget-note": "it is forgotten and there",
    "forget-turn": "it is forgotten and there",
    "forget-session": "it is forgotten and there",
    "erase": "after an erasing that was acknowledged",
    "recall-forget": "it is forgotten and there",
}
"""Drivers that take something away, and what their check says when it is there after all."""


def run(name: str, folder: Path) -> list[int]:
    """Run a driver without a fault; what it acknowledged."""
    words = [sys.executable, "-P", "-m", "tools.faults.driver", name, str(folder)]
    environ = {"PYTHONPATH": str(tracing.ROOT), "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=60, check=True, cwd=tracing.ROOT, env=environ
    )
    return [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("ack ")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "files"
    made.mkdir(mode=0o700)
    return made


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_seen(name: str, folder: Path) -> None:
    gone, says = LOSSES[name]
    DRIVERS[name].prepare(folder)
    acknowledged = run(name, folder)
    (folder / gone).unlink()
    assert says in " ".join(sweeping.left(DRIVERS[name], folder, acknowledged))


@pytest.mark.parametrize("name", UNDONE)
def test_what_is_not_taken_away_is_seen(name: str, folder: Path) -> None:
    DRIVERS[name].prepare(folder)
    assert UNDONE[name] in " ".join(sweeping.left(DRIVERS[name], folder, [1]))


def test_each_driver_has_a_test_that_its_check_sees_something() -> None:
    assert DRIVERS.keys() - LOSSES.keys() - UNDONE.keys() == {"recall"}  # a cache: nothing is lost with it
