"""The audit under a kill and under a disk that fails, in a process of its own with three writers."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bxcore.audit_chain import Head
from bxio import audit_reader
from bxio.audit_log import AuditLog

ROOT = Path(__file__).parents[2]
PROCESS = [sys.executable, "-m", "tests.doubles.audit_process"]
needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def missing(told: list[str], path: Path) -> list[str]:
    """The lines that were acknowledged and are not in the log."""
    kept = {(record["n"], record["kind"], record["call"]) for record in records(path)}
    wanted = []
    for line in told:
        step, number, call = line.split()
        wanted.append((line, (int(number), "outcome" if step == "settled" else step, call)))
    return [line for line, key in wanted if key not in kept]


@pytest.mark.timeout(90)
def test_a_kill_loses_nothing_that_was_answered_and_breaks_no_chain(tmp_path: Path) -> None:
    """Only records over 64 kB are ever torn by a kill, so these are up to 600 kB."""
    path, chance = tmp_path / "audit.jsonl", random.Random(7)
    told: list[str] = []
    for _ in range(12):
        told += _killed_after(path, chance.uniform(0.0, 0.12))
        log = AuditLog.open(path)
        log.close()
        assert audit_reader.verify(path, log.head) == log.head
        assert missing(told, path) == []
    assert {line.split()[0] for line in told} == {"intent", "outcome", "settled"}
    assert len({record["call"][:2] for record in records(path)}) == 3


def _killed_after(path: Path, delay_s: float) -> list[str]:
    command = [*PROCESS, str(path), "1000000", "600000"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline()]
        until_s = time.monotonic() + delay_s
        while time.monotonic() < until_s and (line := process.stdout.readline()):
            said.append(line)
        process.kill()
        said += process.stdout.readlines()
    return [line.strip() for line in said if line.endswith("\n")]


@needs_strace
@pytest.mark.parametrize("at", [1, 2, 3, 6])
def test_after_a_sync_that_failed_everything_is_refused_and_what_was_told_is_there(
    tmp_path: Path, at: int
) -> None:
    """Of an outcome that was written and never synced nothing is settled, whatever comes after."""
    path = tmp_path / "audit.jsonl"
    path.touch(0o600)
    tracing = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", str(path), "-e", "trace=fdatasync"]
    command = [*tracing, "-e", f"inject=fdatasync:error=EIO:when={at}", *PROCESS, str(path), "5"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=25, check=True)
    told = [line for line in done.stdout.splitlines() if not line.startswith("refused")]
    refused = [line for line in done.stdout.splitlines() if line.startswith("refused")]
    assert len(refused) >= 5
    assert all("could not be synced to the disk; look at the disk, then restart" in line for line in refused)
    synced = [line for line in told if not line.startswith("outcome")]
    assert all(int(line.split()[1]) < at for line in synced)
    assert missing(told, path) == []
    assert isinstance(audit_reader.verify(path), Head)
    assert len(records(path)) == at
