"""kill -9 of the process during a turn: nothing acknowledged is lost, the rest is told and not run again."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bxcore import interrupted
from bxcore.records import Assistant, Record, ToolResult, User
from bxio.session_store import SessionStore

ROOT = Path(__file__).parents[2]
KILLS = 5


@pytest.mark.timeout(90)
def test_a_killed_process_loses_nothing_that_was_shown_and_says_what_it_cut_short(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "sessions")
    cut_short = None
    for round_ in range(KILLS):
        seen = _killed_after(tmp_path, turns=1 + round_ % 2, delay_s=0.004 * round_)
        if cut_short is not None:
            assert next(line["notice"] for line in seen if "notice" in line) == cut_short.notice
        log = store.open("k3f")
        log.close()
        records = store.read("k3f")
        _check_nothing_shown_is_lost(records, seen)
        cut_short = interrupted.find(records)


def _killed_after(folder: Path, *, turns: int, delay_s: float) -> list[dict[str, Any]]:
    """Run the process until so many turns were acknowledged and a little longer; what it had shown."""
    command = [sys.executable, "-m", "tests.doubles.loop_process", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        seen: list[str] = []
        while sum('"turn"' in line for line in seen) < turns:
            line = process.stdout.readline()
            assert line, "the process ended by itself"
            seen.append(line)
        until_s = time.monotonic() + delay_s
        while time.monotonic() < until_s:
            pass
        process.kill()
        seen += process.stdout.readlines()
    return [json.loads(line) for line in seen if line.endswith("\n")]


def _check_nothing_shown_is_lost(records: Sequence[Record], seen: list[dict[str, Any]]) -> None:
    replied, turn = set[int](), 0
    for record in records:
        turn += isinstance(record, User)
        if isinstance(record, Assistant) and not record.tool_calls:
            replied.add(turn)
    assert {line["turn"] for line in seen if "turn" in line} <= replied
    results = [record.call for record in records if isinstance(record, ToolResult)]
    assert {line["result"] for line in seen if "result" in line} <= set(results)
    assert len(results) == len(set(results)), "no call is run or closed twice"
