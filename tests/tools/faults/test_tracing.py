"""What a run under ``strace`` saw: a fault counts only when it struck the driver's files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tools.faults import tracing
from tools.faults.drivers import DRIVERS
from tools.faults.fault import Fault
from tools.faults.tracing import NoTraceError, Ran, Watched


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "files"
    made.mkdir(mode=0o700)
    return made


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    made = tmp_path_factory.mktemp("watched") / "files"
    made.mkdir(mode=0o700)
    return tracing.watch("ledger", made, named=True)


def run(folder: Path, watched: Watched, fault: Fault) -> Ran:
    return tracing.run("ledger", folder, fault, watched)


def test_the_calls_on_the_files_are_seen_with_their_numbers(watched: Watched) -> None:
    assert [number for call, number in watched.calls if call == "write"] == [1, 2, 3, 4]
    assert {"", "ledger.jsonl"} <= set(watched.paths)
    assert watched.largest > 0


def test_an_error_strikes_the_call_that_it_is_meant_for_and_is_told(folder: Path, watched: Watched) -> None:
    ran = run(folder, watched, Fault(call="write", number=2, kind="error=EIO"))
    assert (ran.struck, ran.ended, ran.acknowledged) == (True, True, (1, 3, 4))
    assert ran.refused == (f"{folder / 'ledger.jsonl'} cannot be written: Input/output error",)


def test_one_that_lasts_strikes_every_later_call(folder: Path, watched: Watched) -> None:
    ran = run(folder, watched, Fault(call="write", number=2, kind="error=ENOSPC", lasting=True))
    assert (ran.struck, ran.ended, ran.acknowledged, len(ran.refused)) == (True, True, (1,), 3)


def test_a_kill_ends_it_at_the_call(folder: Path, watched: Watched) -> None:
    ran = run(folder, watched, Fault(call="fdatasync", number=3, kind="signal=KILL"))
    assert (ran.struck, ran.ended, ran.acknowledged) == (True, False, (1, 2))


def test_a_full_disk_takes_a_part_and_refuses_the_rest(folder: Path, watched: Watched) -> None:
    ran = run(folder, watched, Fault(room=watched.largest // 4 + 20))
    assert (ran.struck, ran.ended, ran.acknowledged) == (True, True, (1,))
    assert "the disk took 20 of" in ran.refused[0]


def test_a_fault_that_comes_to_no_call_struck_nothing(folder: Path, watched: Watched) -> None:
    ran = run(folder, watched, Fault(call="write", number=99, kind="error=EIO"))
    assert (ran.struck, ran.ended) == (False, True)
    ran = run(folder, watched, Fault(call="write", number=99, kind="signal=KILL"))
    assert (ran.struck, ran.ended) == (False, True)


def test_a_machine_where_nothing_can_be_traced_is_a_clear_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    (bare / "strace").write_text("#!/bin/sh\necho 'strace: ptrace: Operation not permitted' >&2\nexit 1\n")
    (bare / "strace").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bare}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(NoTraceError, match=r"ledger does not run under strace: .*not permitted"):
        tracing.watch("ledger", folder, named=DRIVERS["ledger"].named)
