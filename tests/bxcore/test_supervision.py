"""A tree is checked whole before its first start, one sentence for each rule that is broken."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.backoff import Backoff
from bxcore.supervision import (
    ChildSpec,
    Restart,
    Strategy,
    SupervisorSpec,
    affected,
    restarts,
    validate,
    validate_child,
)


def child(**changes: Any) -> ChildSpec:
    given: dict[str, Any] = {"name": "memory", "start": print} | changes
    return ChildSpec(**given)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "Memory"}, "small letters"),
        ({"name": ""}, "small letters"),
        ({"name": "a//b"}, "small letters"),
        ({"name": "a" * 129}, "small letters"),
        ({"start": None}, "cannot be called"),
        ({"bound": 0}, "bound is 0"),
        ({"start_s": 0.0}, "start_s is 0.0"),
        ({"start_s": math.inf}, "start_s is inf"),
        ({"start_s": math.nan}, "start_s is nan"),
        ({"shutdown_s": -1.0}, "shutdown_s is -1.0"),
        ({"kind": "supervisor", "shutdown_s": 5.0}, "orphan"),
        ({"kind": "supervisor", "backoff": Backoff()}, "network children"),
        ({"restart": Restart.TEMPORARY, "backoff": Backoff()}, "never restarted"),
        ({"backoff": Backoff(first_s=0.0)}, "backoff goes from 0.0"),
        ({"backoff": Backoff(first_s=2.0, most_s=1.0)}, "backoff goes from 2.0 to 1.0"),
    ],
)
def test_each_broken_rule_of_a_child_is_one_sentence(changes: dict[str, Any], words: str) -> None:
    (problem,) = validate_child(child(**changes))
    assert problem.startswith(f"child {changes.get('name', 'memory')!r}: ")
    assert words in problem


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"intensity": -1}, "intensity is -1"),
        ({"period_s": 0.0}, "period_s is 0.0"),
        ({"period_s": math.nan}, "period_s is nan"),
        ({"children": (child(), child())}, "2 children are named 'memory'"),
        ({"max_children": 0}, "max_children is 0"),
        ({"max_children": 3, "children": (child(),)}, "no children of its own"),
        ({"max_children": 3, "strategy": Strategy.ONE_FOR_ALL}, "is one_for_one, not one_for_all"),
    ],
)
def test_each_broken_rule_of_a_supervisor_is_one_sentence(changes: dict[str, Any], words: str) -> None:
    (problem,) = validate(SupervisorSpec(**changes))
    assert words in problem


def test_all_problems_come_at_once() -> None:
    spec = SupervisorSpec(
        intensity=-1, period_s=-1.0, children=(child(name="A", bound=0), child(start_s=-1.0))
    )
    assert len(validate(spec)) == 5


def test_sound_specs_have_no_problem() -> None:
    names = ("memory", "asks/17-own", "loop/k3f", "dead-letters")
    spec = SupervisorSpec(children=tuple(child(name=name, backoff=Backoff()) for name in names))
    assert validate(spec) == []
    assert validate(SupervisorSpec(max_children=32)) == []


def test_budgets_are_five_seconds_for_a_worker_and_endless_for_a_supervisor() -> None:
    worker, supervisor = child(), child(kind="supervisor")
    assert (worker.start_budget_s, worker.shutdown_budget_s) == (5.0, 5.0)
    assert (supervisor.start_budget_s, supervisor.shutdown_budget_s) == (math.inf, math.inf)
    assert child(shutdown_s=0.0).shutdown_budget_s == 0.0


@pytest.mark.parametrize(
    ("rule", "after_a_crash", "after_a_normal_end"),
    [(Restart.PERMANENT, True, True), (Restart.TRANSIENT, True, False), (Restart.TEMPORARY, False, False)],
)
def test_each_restart_rule(rule: Restart, after_a_crash: bool, after_a_normal_end: bool) -> None:  # noqa: FBT001
    assert restarts(rule, crashed=True) is after_a_crash
    assert restarts(rule, crashed=False) is after_a_normal_end


@given(st.lists(st.text(), min_size=1, unique=True), st.data())
def test_whom_a_strategy_names_is_in_start_order_and_holds_the_failed_one(
    names: list[str], data: st.DataObject
) -> None:
    failed = data.draw(st.sampled_from(names))
    one, rest, everybody = (affected(strategy, names, failed) for strategy in Strategy)
    assert one == (failed,)
    assert rest[0] == failed
    assert (*names[: len(names) - len(rest)], *rest) == tuple(names)
    assert everybody == tuple(names)
