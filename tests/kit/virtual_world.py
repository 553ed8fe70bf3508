"""A world of one baton: real threads of which one runs at a time, a virtual clock, chance from a seed.

The same seed is the same interleaving. When all wait, the clock jumps to the next deadline; when they wait
for each other in a circle, or for nothing that can come, the test's thread gets a ``Deadlock`` that names it.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from enum import Enum
from types import TracebackType

from tests.kit.who_waits import circle, who_waits

REAL_LIMIT_S = 20.0
"""A handler that blocks on something real holds the baton; after this many real seconds the run fails."""
WALL_S = 1_700_000_000.0


class Deadlock(AssertionError):  # noqa: N818 - the field's word
    """Nobody can go on; the text says who waits for whom."""


class Torn(BaseException):
    """Raised at the waits of a thread that the test left behind."""


class Phase(Enum):
    READY = "ready"
    WAITING = "waiting"
    SETTLING = "settling"
    """The test's thread, until nobody else can go on without time passing."""
    DONE = "done"


class Task:
    """A real thread, its gate, and what it waits for. Also the ``ThreadLike`` that the kernel gets."""

    def __init__(self, world: VirtualWorld, name: str, thread: threading.Thread) -> None:
        self.name = name
        self.thread = thread
        self.gate = threading.Lock()
        self.gate.acquire(timeout=REAL_LIMIT_S)
        self.phase = Phase.READY
        self.deadline_s: float | None = None
        self.notified = False
        self.error: BaseException | None = None
        self._world = world
        self._done = VirtualCondition(world)

    @property
    def ident(self) -> int | None:
        return self.thread.ident

    def is_alive(self) -> bool:
        return self.phase is not Phase.DONE

    def join(self, timeout: float | None = None) -> None:
        with self._done:
            if self.is_alive():
                self._done.wait(timeout)

    def done(self) -> None:
        self.phase = Phase.DONE
        self._done.notify_all()


class VirtualCondition:
    """No lock is needed where one thread runs; entering it is where another may be let run first."""

    def __init__(self, world: VirtualWorld) -> None:
        self._world = world
        self._waiting: list[Task] = []

    def __enter__(self) -> bool:
        world = self._world
        if world.held:
            raise AssertionError("a lock was taken under another lock")
        world.preempt()
        world.held = True
        return True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._world.held = False

    def wait(self, timeout: float | None = None) -> bool:
        world, task = self._world, self._world.current
        task.phase = Phase.WAITING if timeout is None or timeout > 0.0 else Phase.READY
        task.notified = False
        task.deadline_s = None if timeout is None else world.monotonic() + max(timeout, 0.0)
        self._waiting.append(task)
        world.held = False
        try:
            world.switch()
        finally:
            world.held = True
            if task in self._waiting:
                self._waiting.remove(task)
        return task.notified

    def notify_all(self) -> None:
        for task in self._waiting:
            task.phase = Phase.READY
            task.notified = True
        self._waiting.clear()


class VirtualWorld:
    """Give it to a ``Runtime``; the thread that makes it is the test's own."""

    def __init__(self, seed: int = 0, *, preemption: float = 0.25) -> None:
        self.seed = seed
        self.held = False
        self.steps = 0
        self.trace: list[str] = []
        self._chance = random.Random(seed)
        self._preemption = preemption
        self._now_s = 0.0
        self._closing = False
        self._test = Task(self, "the test", threading.current_thread())
        self._tasks = [self._test]
        self.current = self._test

    # What the kernel uses.

    def monotonic(self) -> float:
        return self._now_s

    def wall(self) -> float:
        return WALL_S + self._now_s

    def random(self) -> float:
        return self._chance.random()

    def condition(self) -> VirtualCondition:
        return VirtualCondition(self)

    def spawn(self, name: str, target: Callable[[], None]) -> Task:
        def run() -> None:
            try:
                self._take_baton(task)
                target()
            except Torn:
                pass
            finally:
                task.done()
                self._tasks.remove(task)
                self._pass_on(task)

        task = Task(self, name, threading.Thread(target=run, name=name, daemon=True))
        self._tasks.append(task)
        task.thread.start()
        return task

    # What the test uses.

    def settle(self) -> None:
        """Let all others run until each waits; no time passes."""
        self.current.phase = Phase.SETTLING
        self.switch()

    def advance(self, seconds: float) -> None:
        """Let time pass, stopping at each deadline on the way."""
        until_s = self._now_s + seconds
        self.settle()
        while (due_s := self._next_deadline_s()) is not None and due_s <= until_s:
            self._wake_at(due_s)
            self.settle()
        self._now_s = until_s

    def close(self) -> list[str]:
        """End every thread that is left; their names."""
        self._closing = True
        left = [task for task in self._tasks if task is not self._test]
        for task in left:
            while task in self._tasks:
                task.phase = Phase.READY
                self.current, task_before = task, self.current
                task_before.phase = Phase.SETTLING
                task.gate.release()
                self._take_baton(self._test)
        return [task.name for task in left]

    # The baton.

    def preempt(self) -> None:
        """Perhaps let another run first."""
        if not self._closing and self._chance.random() < self._preemption:
            self.switch()

    def switch(self) -> None:
        """Hand the baton on and come back when it is one's turn."""
        task = self.current
        if self._closing and task is not self._test:
            raise Torn
        if self._pass_on(task):
            self._take_baton(task)
        if task.error is not None:
            error, task.error = task.error, None
            raise error
        if self._closing and task is not self._test:
            raise Torn

    def _pass_on(self, task: Task) -> bool:
        """Wake who is next; False when that is the very task."""
        following = self._test if self._closing else self._pick()
        self.steps += 1
        self.trace.append(following.name)
        self.current = following
        following.phase = Phase.READY
        if following is task:
            return False
        following.gate.release()
        return True

    def _take_baton(self, task: Task) -> None:
        if not task.gate.acquire(timeout=REAL_LIMIT_S):
            raise AssertionError(f"{self.current.name} held the baton for {REAL_LIMIT_S:.0f} real seconds")

    def _pick(self) -> Task:
        while True:
            ready = [task for task in self._tasks if task.phase is Phase.READY]
            if ready:
                return ready[self._chance.randrange(len(ready))] if len(ready) > 1 else ready[0]
            if self._test.phase is Phase.SETTLING:
                return self._test
            names = {task.ident or 0: task.name for task in self._tasks}
            due_s = self._next_deadline_s()
            if due_s is None or circle(names):
                self._test.error = Deadlock(who_waits(names))
                return self._test
            self._wake_at(due_s)

    def _next_deadline_s(self) -> float | None:
        due = [task.deadline_s for task in self._tasks if self._counts(task) and task.deadline_s is not None]
        return min(due, default=None)

    def _wake_at(self, due_s: float) -> None:
        self._now_s = max(self._now_s, due_s)
        for task in self._tasks:
            if self._counts(task) and task.deadline_s is not None and task.deadline_s <= self._now_s:
                task.phase = Phase.READY

    @staticmethod
    def _counts(task: Task) -> bool:
        return task.phase is Phase.WAITING
