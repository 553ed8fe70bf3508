"""Some faults of every durable file; ``python -m tools.faults --full`` tries them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tools.faults import sweeping
from tools.faults.driver import Driver
from tools.faults.drivers import DRIVERS

MOST = 3
"""Faults of each driver, from all over: so that all of them take half a minute."""


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", DRIVERS)
def test_a_fault_at_any_call_loses_nothing_and_is_a_sentence(name: str) -> None:
    outcomes = list(sweeping.sweep(name, most=MOST))
    assert [outcome for outcome in outcomes if outcome.wrong] == []
    struck = [outcome for outcome in outcomes if outcome.struck]
    assert len(struck) >= MOST - 1
    assert any(outcome.sentences or "KILL" in outcome.fault.kind for outcome in struck)


def check(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    yield f"{list(acknowledged)} in {folder.name}"


def test_a_driver_whose_check_complains_without_a_fault_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    complains = Driver(run=DRIVERS["ledger"].run, check=check)
    monkeypatch.setitem(DRIVERS, "ledger", complains)
    with pytest.raises(AssertionError, match="ledger is wrong without a fault"):
        next(sweeping.sweep("ledger"))


def test_what_a_check_finds_is_told_and_so_is_that_it_cannot_read(tmp_path: Path) -> None:
    def broken(_folder: Path, _acknowledged: Sequence[int]) -> Iterator[str]:
        raise ValueError("half a line")

    driver = Driver(run=lambda _folder: iter(()), check=check)
    assert sweeping.left(driver, tmp_path, [9]) == [f"[9] in {tmp_path.name}"]
    driver = Driver(run=lambda _folder: iter(()), check=broken)
    assert sweeping.left(driver, tmp_path, []) == ["it cannot be read afterwards: ValueError: half a line"]
