"""A supervisor's record of one child; only the supervisor's thread touches it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from actors.kernel.launch import await_end, fence, launch, order_stop
from actors.kernel.life import Life
from actors.kernel.mailbox import Mailbox
from actors.kernel.outcome import Answer, Late
from actors.kernel.tree_view import ChildView, State
from bxcore.backoff import Backoff, delay_s
from bxcore.supervision import ChildSpec, Restart

if TYPE_CHECKING:
    from actors.kernel.runtime import Runtime


class Child:
    """The spec, the mailbox that outlives it, and its newest life."""

    def __init__(self, runtime: Runtime, spec: ChildSpec, box: Mailbox) -> None:
        self.spec = spec
        self.box = box
        self.life: Life | None = None
        self.state = State.STOPPED
        self.last_error: str | None = None
        self._failures = 0
        self._runtime = runtime
        self._since_s = runtime.world.wall()
        self._ran_from_s = runtime.world.monotonic()

    @property
    def incarnation(self) -> int:
        """Its newest life's number; 0 before the first."""
        return self.life.incarnation if self.life is not None else 0

    @property
    def restarts(self) -> int:
        """How often this name was started again, by whomever."""
        return self.life.restarts if self.life is not None else 0

    @property
    def temporary(self) -> bool:
        """Whether it is never started again."""
        return self.spec.restart is Restart.TEMPORARY

    def view(self) -> ChildView:
        """What status shows of it."""
        return ChildView(
            name=self.spec.name,
            kind=self.spec.kind,
            state=self.state,
            incarnation=self.incarnation,
            restarts=self.restarts,
            last_error=self.last_error,
            since_s=self._since_s,
        )

    def enter(self, state: State) -> None:
        """Note its new state, and since when."""
        self.state = state
        self._since_s = self._runtime.world.wall()

    def launch(self, parent: Mailbox) -> Life:
        """Make it and start its thread; ready or failed is told by the life."""
        self.enter(State.STARTING)
        self._ran_from_s = self._runtime.world.monotonic()
        self.life = launch(
            self._runtime,
            self.spec.start,
            self.box,
            parent=parent,
            comes_back=not self.temporary,
        )
        return self.life

    def await_ready(self, life: Life) -> bool:
        """Wait for its start within the budget; one that is not ready is fenced. False when it failed."""
        deadline_s = self._runtime.world.monotonic() + self.spec.start_budget_s
        outcome = life.ready.outcome_kept(deadline_s)
        if isinstance(outcome, Answer):
            self.enter(State.RUNNING)
            return True
        if isinstance(outcome, Late):
            self.not_ready_in_time(life)
        self.failed(life.error)
        return False

    def not_ready_in_time(self, life: Life) -> None:
        """Fence a life whose start budget is over."""
        life.error = life.error or f"not ready within {self.spec.start_budget_s:g} s"
        order_stop(life, comes_back=not self.temporary)
        fence(life)

    def failed(self, error: str | None) -> None:
        """Note a crash or a failed start."""
        self.last_error = error
        self.enter(State.RESTARTING)

    def order_stop(self, *, comes_back: bool) -> float:
        """Want its end; the deadline (absolute) of its shutdown budget."""
        if self.life is not None and self.life.alive:
            self.enter(State.STOPPING)
            order_stop(self.life, comes_back=comes_back)
        return self._runtime.world.monotonic() + self.spec.shutdown_budget_s

    def await_end(self, deadline_s: float) -> None:
        """Wait for the ordered end until ``deadline_s``; it is fenced then."""
        if self.life is not None and self.life.alive and not self.life.fenced:
            await_end(self.life, deadline_s)
        self.enter(State.STOPPED)

    def close(self) -> None:
        """Close its mailbox, and all below it."""
        self.box.close()
        if self.spec.kind == "supervisor":
            self._runtime.close_below(self.spec.name)

    def rest_s(self, backoff: Backoff) -> float:
        """How long to rest before the next start, in seconds."""
        ran_s = self._runtime.world.monotonic() - self._ran_from_s
        self._failures = 1 if ran_s >= backoff.most_s else self._failures + 1
        return delay_s(backoff, self._failures, self._runtime.world.random())
