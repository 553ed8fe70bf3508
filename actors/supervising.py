"""The root of a tree, as the process's main thread starts, watches and stops it (spec 5.1)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from actors.base import Actor, Answer, Context, Mailbox, NeverReady, Runtime
from actors.kernel.launch import launch, stop
from actors.kernel.life import Life
from actors.kernel.supervisor import Supervisor
from bxcore.supervision import ChildSpec, Restart, Strategy, SupervisorSpec

__all__ = ["Root", "Start", "Supervisor", "errand", "group", "start_root", "temporary"]

Start: TypeAlias = Callable[[Context], Actor]

_LOOK_S = 0.2


class Root:
    """The supervisor without a supervisor, as the process's main thread holds it."""

    def __init__(self, runtime: Runtime, life: Life) -> None:
        self._runtime = runtime
        self._kernel_life = life

    @property
    def box(self) -> Mailbox:
        """Where the operator's wishes about the top children go."""
        return self._kernel_life.lease.box

    @property
    def ended(self) -> bool:
        """Whether it has ended, stopped or given up."""
        return not self._kernel_life.alive

    @property
    def error(self) -> str | None:
        """Why it gave up or failed at its start, as a sentence; None after a stop that was wanted."""
        return self._kernel_life.error

    def wait(self, timeout_s: float) -> bool:
        """Wait at most ``timeout_s`` for its end, wanted or not. True when it has ended."""
        deadline_s = self._runtime.world.monotonic() + timeout_s
        return isinstance(self._kernel_life.ended.outcome_kept(deadline_s), Answer)

    def stop(self, timeout_s: float) -> bool:
        """Stop the tree in reverse order. False when it had not ended by then."""
        return stop(self._kernel_life, timeout_s)


def start_root(
    runtime: Runtime,
    spec: SupervisorSpec,
    *,
    on_end: Callable[[str | None], object] = lambda _: None,
    still_wanted: Callable[[], bool] = lambda: True,
) -> Root:
    """Start the tree as ``root`` and wait until it is ready; raises ``NeverReady``, the reason as its text.

    ``on_end`` is called once, in the root's thread, when a tree that was ready has ended: with None after a
    wanted stop, else with why it gave up. ``still_wanted`` is looked at while it starts: once it is False,
    what was started is stopped again.
    """
    life = launch(runtime, lambda context: Supervisor(context, spec), runtime.mailbox("root"))
    while life.ready.pending and still_wanted():
        life.ready.outcome_kept(runtime.world.monotonic() + _LOOK_S)
    if isinstance(life.ready.peek(), Answer):
        life.ended.when_over(lambda: on_end(life.error))
        return Root(runtime, life)
    stop(life, math.inf)
    raise NeverReady(life.error or "the start was stopped")


def group(
    name: str,
    strategy: Strategy = Strategy.ONE_FOR_ONE,
    *children: ChildSpec,
    max_children: int | None = None,
) -> ChildSpec:
    """The child spec of a supervisor: a static one with children, a dynamic one with ``max_children``."""
    spec = SupervisorSpec(
        strategy=strategy, intensity=10, period_s=60.0, children=children, max_children=max_children
    )
    return ChildSpec(name=name, kind="supervisor", start=lambda context: Supervisor(context, spec))


def temporary(start: Start, shutdown_s: float = 3.0) -> Callable[[str], ChildSpec]:
    """A short-lived child, by its name."""
    return lambda name: ChildSpec(name=name, restart=Restart.TEMPORARY, shutdown_s=shutdown_s, start=start)


def errand(start: Callable[[Context, str], Actor]) -> Callable[[str, str], ChildSpec]:
    """A short-lived child that is sent to one workspace, by its name and the workspace's."""
    return lambda name, where: temporary(lambda context: start(context, where), 1.0)(name)
