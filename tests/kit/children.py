"""Obedient children for supervisor tests, and a log of what they did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from actors.base import Actor, Context
from actors.supervising import Supervisor
from bxcore.supervision import ChildSpec, Restart, Strategy, SupervisorSpec


@dataclass
class Log:
    """What happened, in order, such as ``start a``; and what each child still has to do wrong."""

    lines: list[str] = field(default_factory=list)
    failing_starts: dict[str, int] = field(default_factory=dict)
    slow: dict[tuple[str, str], float] = field(default_factory=dict)
    """Seconds that ("start" or "stop" or "cut", name) takes."""

    def since(self, mark: int) -> list[str]:
        return self.lines[mark:]

    def mark(self) -> int:
        return len(self.lines)


class Child(Actor):
    """Calls a message that can be called, raises an exception class, ends on ``end``, else answers itself."""

    def __init__(self, context: Context, log: Log) -> None:
        super().__init__(context)
        self._log = log

    def on_start(self) -> None:
        self._take_time("start")
        if self._log.failing_starts.get(self.name, 0) > 0:
            self._log.failing_starts[self.name] -= 1
            self._log.lines.append(f"fail {self.name}")
            raise OSError("a text that nobody may see")
        self._log.lines.append(f"start {self.name}")

    def on_receive(self, message: Any) -> object:
        if isinstance(message, type):
            raise message
        if isinstance(message, float):
            self.pause(message)
        if message == "end":
            self.end()
        return message(self) if callable(message) else message

    def on_stop(self) -> None:
        self._take_time("stop")
        self._log.lines.append(f"stop {self.name}")

    def cut(self) -> None:
        self._log.lines.append(f"cut {self.name}")

    def pause(self, seconds: float) -> None:
        """Block this thread for virtual seconds."""
        condition = self._kernel_life.runtime.world.condition()
        with condition:
            condition.wait(seconds)

    def _take_time(self, what: str) -> None:
        self.pause(self._log.slow.get((what, self.name), 0.0))


def child(log: Log, name: str, restart: Restart = Restart.PERMANENT, **options: Any) -> ChildSpec:
    """A worker's spec."""
    return ChildSpec(name=name, start=partial(Child, log=log), restart=restart, **options)


def group(name: str, spec: SupervisorSpec, restart: Restart = Restart.PERMANENT) -> ChildSpec:
    """A supervisor's spec."""
    make: Callable[[Context], Supervisor] = partial(Supervisor, spec=spec)
    return ChildSpec(name=name, kind="supervisor", start=make, restart=restart)


def tree_of(
    log: Log, names: str, strategy: Strategy = Strategy.ONE_FOR_ONE, **options: Any
) -> SupervisorSpec:
    """A supervisor of permanent workers named by single letters."""
    return SupervisorSpec(strategy=strategy, children=tuple(child(log, name) for name in names), **options)
