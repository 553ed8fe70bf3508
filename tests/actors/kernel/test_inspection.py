"""An actor's counters: from itself ahead of what waits, or from outside when it is stuck."""

from __future__ import annotations

from typing import Any

from actors.base import Actor
from tests.kit.children import Child, Log
from tests.kit.kit import Kit


def test_inspecting_goes_ahead_of_what_waits_and_holds_the_actors_own_facts(kit: Kit) -> None:
    class Counted(Actor):
        def on_receive(self, message: Any) -> object:
            return self.reply_later()

        def facts(self) -> dict[str, int]:
            return {"sessions": 3}

    box = kit.start("counted", Counted)
    box.ask("owed", kit.now() + 50.0)
    kit.advance(2.0)
    seen = kit.runtime.inspect("counted", 1.0)
    assert seen is not None
    assert seen.answered
    assert (seen.handled, seen.replies_owed, seen.mailbox_depth, seen.age_s) == (2, 1, 0, 2.0)
    assert seen.facts == {"sessions": 3}
    assert kit.runtime.inspect("nobody", 1.0) is None


def test_a_stuck_actor_is_inspected_from_outside(kit: Kit) -> None:
    box = kit.start("stuck", lambda context: Child(context, Log()))
    box.tell(30.0)
    kit.settle()
    box.tell("waits")
    seen = kit.runtime.inspect("stuck", 1.0)
    assert seen is not None
    assert not seen.answered
    assert (seen.in_hand, seen.mailbox_depth) == ("float", 1)
    assert kit.now() == 1.0
    kit.advance(30.0)
