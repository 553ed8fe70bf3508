"""A short pass of every fuzz target, and every input that broke a promise once."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tools.fuzz.running import FOUND, Finding, attempt, run
from tools.fuzz.target import Target
from tools.fuzz.targets import TARGETS

EXECUTIONS = 500
SEED = 20270131
BY_NAME = {target.name: target for target in TARGETS}


@pytest.mark.parametrize("target", TARGETS, ids=list(BY_NAME))
@pytest.mark.timeout(60)
def test_a_target_keeps_its_promise_for_its_seeds_and_what_comes_of_them(target: Target) -> None:
    tally = run(target, SEED, executions=EXECUTIONS)
    assert tally.executions == EXECUTIONS
    assert [f"{found.what}\n{found.data!r}\n{found.trace}" for found in broken(tally.findings.values())] == []


def broken(findings: Iterable[Finding]) -> list[Finding]:
    """Without those that only took long: how fast a machine is, is no matter of tests."""
    return [found for found in findings if not found.what.startswith("Slow")]


@pytest.mark.parametrize("name", sorted(path.name for path in FOUND.glob("*.bin")))
def test_what_broke_a_promise_once_breaks_none_now(name: str) -> None:
    finding, _ = attempt(BY_NAME[name.rpartition("-")[0]], (FOUND / name).read_bytes())
    assert finding is None or finding.what.startswith("Slow"), finding.trace


def test_each_target_has_a_name_of_its_own_and_seeds_to_begin_with() -> None:
    assert len(BY_NAME) == len(TARGETS)
    assert [target.name for target in TARGETS if not target.seeds] == []
