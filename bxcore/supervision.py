"""The supervision tree as validated data: child specs, restart rules, strategies (spec 5.1, words of OTP)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from bxcore.backoff import Backoff

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*(/[a-z0-9][a-z0-9_.-]*)*")
_NAME_CHARACTERS = 128
WORKER_START_S = 5.0
WORKER_SHUTDOWN_S = 5.0

Kind: TypeAlias = Literal["worker", "supervisor"]


class Restart(StrEnum):
    """When an ended child is started again."""

    PERMANENT = "permanent"
    """Always."""
    TRANSIENT = "transient"
    """After a crash, not after a normal end."""
    TEMPORARY = "temporary"
    """Never, not even with its siblings."""


class Strategy(StrEnum):
    """Who is restarted with a child that went down."""

    ONE_FOR_ONE = "one_for_one"
    REST_FOR_ONE = "rest_for_one"
    """It and those started after it."""
    ONE_FOR_ALL = "one_for_all"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildSpec:
    """How one child is made and kept. ``start`` gets the kernel's ``Context`` and returns the actor.

    ``start_s`` and ``shutdown_s`` are budgets in seconds; None is 5 s for a worker and no limit for a
    supervisor, whose children have their own. ``bound`` (messages) None leaves the mailbox as it was made.
    A child with a ``backoff`` is a network child: it is started again after a growing rest, and its failures
    do not count towards the intensity, since the far end's trouble must not end the process.
    """

    name: str
    start: Callable[[Any], Any]
    restart: Restart = Restart.PERMANENT
    start_s: float | None = None
    shutdown_s: float | None = None
    bound: int | None = None
    backoff: Backoff | None = None
    kind: Kind = "worker"

    @property
    def start_budget_s(self) -> float:
        """Seconds until its start has failed."""
        return self._budget(self.start_s, WORKER_START_S)

    @property
    def shutdown_budget_s(self) -> float:
        """Seconds until it is fenced after a stop was wanted."""
        return self._budget(self.shutdown_s, WORKER_SHUTDOWN_S)

    def _budget(self, given_s: float | None, worker_s: float) -> float:
        if self.kind == "supervisor":
            return math.inf
        return worker_s if given_s is None else given_s


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorSpec:
    """A supervisor's children in start order; it gives up over ``intensity`` restarts in ``period_s``.

    ``max_children`` makes it dynamic: no static children, only those started by message, at most so many.
    """

    strategy: Strategy = Strategy.ONE_FOR_ONE
    intensity: int = 1
    period_s: float = 5.0
    children: tuple[ChildSpec, ...] = ()
    max_children: int | None = None


def affected(strategy: Strategy, names: Sequence[str], failed: str) -> tuple[str, ...]:
    """Who is restarted when ``failed`` went down, itself included, in start order.

    >>> affected(Strategy.REST_FOR_ONE, ("a", "b", "c"), "b")
    ('b', 'c')
    """
    match strategy:
        case Strategy.ONE_FOR_ONE:
            return (failed,)
        case Strategy.REST_FOR_ONE:
            return tuple(names[names.index(failed) :])
        case Strategy.ONE_FOR_ALL:
            return tuple(names)


def restarts(rule: Restart, *, crashed: bool) -> bool:
    """Whether a child with this rule is started again after this kind of end."""
    return rule is Restart.PERMANENT or (rule is Restart.TRANSIENT and crashed)


def validate(spec: SupervisorSpec) -> list[str]:
    """Every problem of a supervisor's spec and its children's, a sentence each; empty when sound."""
    found = list(_supervisor_problems(spec))
    for child in spec.children:
        found += validate_child(child)
    return found


def validate_child(child: ChildSpec) -> list[str]:
    """Every problem of one child spec."""
    return [f"child {child.name!r}: {problem}" for problem in _child_problems(child)]


def _supervisor_problems(spec: SupervisorSpec) -> Iterator[str]:
    if spec.intensity < 0:
        yield f"intensity is {spec.intensity}, it must be 0 or more"
    if not 0.0 < spec.period_s < math.inf:
        yield f"period_s is {spec.period_s}, it must be more than 0"
    for name, times in Counter(child.name for child in spec.children).items():
        if times > 1:
            yield f"{times} children are named {name!r}, but a name is one mailbox"
    if spec.max_children is None:
        return
    if spec.max_children < 1:
        yield f"max_children is {spec.max_children}, it must be 1 or more"
    if spec.children:
        yield "a dynamic supervisor (max_children) has no children of its own"
    if spec.strategy is not Strategy.ONE_FOR_ONE:
        yield f"a dynamic supervisor (max_children) is one_for_one, not {spec.strategy}"


def _child_problems(child: ChildSpec) -> Iterator[str]:
    if not _NAME.fullmatch(child.name) or len(child.name) > _NAME_CHARACTERS:
        yield "its name must be small letters, digits, '-', '_', '.', with '/' between parts"
    start: object = child.start  # what a tree's author really gave
    if not callable(start):
        yield "its start cannot be called"
    if child.bound is not None and child.bound < 1:
        yield f"bound is {child.bound}, it must be 1 or more"
    yield from _budget_problems(child)
    yield from _backoff_problems(child)


def _budget_problems(child: ChildSpec) -> Iterator[str]:
    if child.kind == "supervisor" and (child.start_s, child.shutdown_s) != (None, None):
        yield "a supervisor has no start or shutdown budget of its own: a limit would orphan its children"
    if child.start_s is not None and not 0.0 < child.start_s < math.inf:
        yield f"start_s is {child.start_s}, it must be more than 0"
    if child.shutdown_s is not None and not 0.0 <= child.shutdown_s < math.inf:
        yield f"shutdown_s is {child.shutdown_s}, it must be 0 or more"


def _backoff_problems(child: ChildSpec) -> Iterator[str]:
    if child.backoff is None:
        return
    if child.restart is Restart.TEMPORARY:
        yield "a temporary child is never restarted, so it has no backoff"
    if child.kind == "supervisor":
        yield "a supervisor has no backoff, its network children have"
    if not 0.0 < child.backoff.first_s <= child.backoff.most_s < math.inf:
        yield (
            f"backoff goes from {child.backoff.first_s} to {child.backoff.most_s} s,"
            " it must begin above 0 and not fall"
        )
