"""An actor's own wake-ups: in order of time, ties in the order they were set, cancelled ones never."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from actors.base import Actor
from actors.kernel.timers import Timers
from tests.kit.kit import Kit


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans())), st.integers(0, 6))
def test_those_due_come_in_order_and_the_cancelled_never(plan: list[tuple[int, bool]], now_s: int) -> None:
    timers = Timers()
    for number, (due_s, cancelled) in enumerate(plan):
        timer = timers.add(float(due_s), number)
        if cancelled:
            timer.cancel()
    came: list[Any] = []
    timers.pop_due(float(now_s), lambda timer: came.append(timer.message))
    live = [(due_s, number) for number, (due_s, cancelled) in enumerate(plan) if not cancelled]
    assert came == [number for due_s, number in sorted(live) if due_s <= now_s]
    assert timers.next_due_s() == min((due_s for due_s, _ in live if due_s > now_s), default=None)


def test_cancelling_forgets_what_the_timer_holds() -> None:
    timer = Timers().add(1.0, "a long text")
    timer.cancel()
    assert timer.message is None


def test_an_actor_tells_itself_later_and_may_change_its_mind(kit: Kit) -> None:
    class Planner(Actor):
        def on_start(self) -> None:
            self.came: list[tuple[float, str]] = []
            self.tell_later(3.0, "three")
            self.tell_later(1.0, "one")
            self.tell_later(2.0, "two").cancel()

        def on_receive(self, message: Any) -> object:
            if message != "any?":
                self.came.append((self.now(), message))
            return list(self.came)

    box = kit.start("planner", Planner)
    kit.advance(10.0)
    assert box.call("any?", 1.0) == [(1.0, "one"), (3.0, "three")]
