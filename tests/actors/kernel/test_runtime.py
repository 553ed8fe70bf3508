"""What outlives every actor: the address book, the tree as last seen, inspection from outside."""

from __future__ import annotations

from typing import Any

import pytest

from actors.base import Actor, NeverReady, Runtime, State
from bxcore.supervision import SupervisorSpec
from tests.kit.children import Child, Log, child, group, tree_of
from tests.kit.kit import Kit


def test_a_name_is_one_mailbox_and_the_first_bound_counts_until_another_is_given(kit: Kit) -> None:
    runtime = kit.runtime
    box = runtime.mailbox("memory", bound=4)
    assert runtime.mailbox("memory") is box
    assert box.bound == 4
    assert runtime.mailbox("memory", bound=9).bound == 9
    assert runtime.mailbox("other").bound == 256


def test_a_forgotten_name_is_a_new_mailbox_next_time(kit: Kit) -> None:
    box = kit.runtime.mailbox("memory")
    kit.runtime.forget(box)
    assert box.closed
    assert kit.runtime.mailbox("memory") is not box
    kit.runtime.forget(box)
    assert not kit.runtime.mailbox("memory").closed


def test_an_actor_without_a_supervisor_closes_its_mailbox_when_it_ends(kit: Kit) -> None:
    box = kit.start("a", lambda context: Child(context, Log()))
    kit.crash("a")
    kit.settle()
    assert box.closed
    assert kit.start("a", lambda context: Child(context, Log())).call("there again", 1.0) == "there again"


def test_a_failed_or_slow_start_says_so(kit: Kit) -> None:
    log = Log(failing_starts={"a": 1}, slow={("start", "b"): 60.0})
    with pytest.raises(NeverReady, match=r"^a failed at its start \(OSError\)$"):
        kit.start("a", lambda context: Child(context, log))
    with pytest.raises(NeverReady, match=r"^b was not ready within 5.0 s$"):
        kit.start("b", lambda context: Child(context, log))
    kit.advance(60.0)


def test_the_tree_shows_every_child_with_the_depth_of_its_mailbox_as_of_now(kit: Kit) -> None:
    inner = group("inner", tree_of(Log(), "b"))
    kit.tree(SupervisorSpec(children=(child(Log(), "a"), inner)))
    kit.runtime.mailbox("b").tell(5.0)
    kit.settle()
    kit.runtime.mailbox("b").tell("waits")
    kit.runtime.mailbox("b").tell("waits")
    (root,) = kit.runtime.tree()
    assert (root.child.name, root.child.kind, root.child.state) == ("root", "supervisor", State.RUNNING)
    a, inner_node = root.children
    assert (a.child.name, a.depth, a.child.incarnation) == ("a", 0, 1)
    (b,) = inner_node.children
    assert (b.child.name, b.depth, b.child.state) == ("b", 2, State.RUNNING)


def test_the_tree_is_shown_while_a_supervisor_is_busy(kit: Kit) -> None:
    log = Log(slow={("start", "b"): 4.0})

    def start() -> None:
        kit.tree(tree_of(log, "ab"))

    kit.world.spawn("starts", start)
    kit.settle()
    (root,) = kit.runtime.tree()
    assert root.child.state is State.STARTING
    assert [node.child.state for node in root.children] == [State.RUNNING, State.STARTING]
    kit.advance(5.0)


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


def test_a_stack_shows_where_a_thread_is(runtime: Runtime) -> None:
    runtime.start("idle", lambda context: Child(context, Log()))
    stack = runtime.stack("idle")
    assert stack is not None
    assert any(line.startswith("mailbox.py:") and line.endswith(" _take") for line in stack)
    assert runtime.stack("nobody") is None
