"""A part of the sweep of ``python -m tools.faults``: every few calls of some files, each kind of fault."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools import faults
from tools.fault_drivers import DRIVERS

EVERY = {"ledger": 11, "memory": 31, "forget": 23, "recall": 61}
"""At every so-many-th call, so that this takes seconds; the sweep takes them all."""

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


@needs_strace
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", EVERY)
def test_a_fault_at_any_call_loses_nothing_and_is_a_sentence(name: str) -> None:
    outcomes = list(faults.sweep([name], EVERY[name]))
    assert [outcome for outcome in outcomes if outcome.wrong] == []
    assert any(outcome.sentences for outcome in outcomes)


def test_a_loss_would_be_seen(tmp_path: Path) -> None:
    assert list(DRIVERS["ledger"].check(tmp_path, [9])) == ["acknowledged and not there: [9]"]


def test_a_fault_is_written_as_strace_takes_it() -> None:
    assert faults.Fault("write", 7, "error=EIO").injection == "inject=write:error=EIO:when=7"
    assert faults.Fault("write", 7, "error=EIO", lasting=True).injection.endswith("when=7+")


def test_every_kind_of_fault_is_tried_at_each_call_that_is_chosen() -> None:
    found = [("write", 3, True), ("fsync", 1, True), ("write", 4, False)]
    tried = list(faults.faults(found, every=2))
    assert {(fault.call, fault.number) for fault in tried} == {("write", 3), ("write", 4)}
    assert [fault.number for fault in tried if fault.kind == faults.SHORT] == [3]
    assert len(tried) == 2 * (len(faults.KINDS["write"]) + 1) + 1
