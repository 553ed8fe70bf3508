"""Stops: in reverse, within budgets, with what waits answered; and the operator's wishes."""

from __future__ import annotations

from typing import Any

import pytest

from actors.base import Dead, Late, Reply, Restarting, State, Why
from bxcore.messages.supervision import Done, RestartChild, StartStopped, StopChild
from bxcore.supervision import Restart, SupervisorSpec
from tests.kit.children import Log, child, group, tree_of
from tests.kit.kit import Kit


def wish(kit: Kit, message: object, of: str = "root") -> Done:
    done = kit.runtime.mailbox(of).call(message, 30.0)
    assert isinstance(done, Done)
    return done


def ask_later(kit: Kit, name: str) -> Reply:
    """An ask whose reply the actor takes over and never sets."""
    reply = kit.runtime.mailbox(name).ask(lambda actor: actor.reply_later(), kit.now() + 600.0)
    kit.settle()
    return reply


def test_children_stop_in_reverse_and_a_supervisor_with_all_below_it(kit: Kit) -> None:
    log = Log()
    root = kit.tree(
        SupervisorSpec(children=(child(log, "a"), group("g", tree_of(log, "bc")), child(log, "d")))
    )
    mark = log.mark()
    assert root.stop(60.0)
    stops = [line for line in log.since(mark) if line.startswith("stop")]
    assert stops == ["stop d", "stop c", "stop b", "stop a"]
    assert root.error is None
    for name in ("a", "b", "c", "d", "g", "root"):
        with pytest.raises(Dead):
            kit.runtime.mailbox(name).call("anyone?", 1.0)
    kit.letters.read_all()


def test_a_child_that_does_not_end_within_its_budget_is_fenced_and_the_next_is_stopped(kit: Kit) -> None:
    log = Log()
    root = kit.tree(SupervisorSpec(children=(child(log, "a"), child(log, "b", shutdown_s=2.0))))
    in_hand = kit.runtime.mailbox("b").ask(50.0, kit.now() + 600.0)
    kit.settle()
    begun = kit.now()
    assert root.stop(60.0)
    assert kit.now() - begun == 2.0
    assert log.lines[-1] == "stop a"
    assert log.lines.count("cut b") == 2
    with pytest.raises(Dead):
        in_hand.get(1.0)
    (zombie,) = kit.runtime.zombies.snapshot()
    assert (zombie.name, zombie.incarnation) == ("b", 1)
    kit.advance(50.0)
    assert kit.runtime.zombies.snapshot() == ()
    kit.expect_dead_letter("b", Why.LATE)


def test_a_supervisor_has_all_the_time_that_its_children_need(kit: Kit) -> None:
    log = Log(slow={("stop", "a"): 100.0, ("stop", "b"): 100.0})
    children = tuple(child(log, name, shutdown_s=300.0) for name in "ab")
    root = kit.tree(SupervisorSpec(children=(group("g", SupervisorSpec(children=children)),)))
    assert root.stop(1000.0)
    assert kit.now() == 200.0
    assert kit.runtime.zombies.snapshot() == ()


def test_an_operators_restart_keeps_what_waits_and_fails_what_was_taken_over(kit: Kit) -> None:
    log = Log()
    kit.tree(tree_of(log, "ab", intensity=0))
    owed = ask_later(kit, "a")
    kit.runtime.mailbox("a").tell(1.0)
    behind = kit.runtime.mailbox("a").ask("behind", kit.now() + 60.0)
    assert wish(kit, RestartChild(name="a")) == Done(ok=True, sentence="a is restarted")
    with pytest.raises(Restarting):
        owed.get(1.0)
    assert behind.get(1.0) == "behind"
    assert log.lines.count("start a") == 2
    assert log.lines.count("start b") == 1


def test_an_operators_restart_of_a_stuck_child_fences_it_after_its_budget(kit: Kit) -> None:
    kit.tree(SupervisorSpec(children=(child(Log(), "a", shutdown_s=0.2),)))
    in_hand = kit.runtime.mailbox("a").ask(90.0, kit.now() + 600.0)
    kit.settle()
    assert wish(kit, RestartChild(name="a")).ok
    assert kit.now() == 0.2
    with pytest.raises(Restarting):
        in_hand.get(1.0)
    assert kit.runtime.mailbox("a").call("fresh", 1.0) == "fresh"
    kit.advance(90.0)
    assert kit.runtime.mailbox("a").call("still fresh", 1.0) == "still fresh"
    kit.expect_dead_letter("a", Why.LATE)


def test_a_zombie_takes_nothing_more_and_does_not_hear_its_old_stop(kit: Kit) -> None:
    log = Log()
    kit.tree(SupervisorSpec(children=(child(log, "a", shutdown_s=0.2),)))
    seen: list[tuple[int, bool]] = []

    def note(actor: Any) -> None:
        seen.append((actor.incarnation, actor.fenced))

    kit.runtime.mailbox("a").tell(5.0)
    kit.settle()
    for _ in range(3):
        kit.runtime.mailbox("a").tell(note)
    assert wish(kit, RestartChild(name="a")).ok
    kit.advance(1.0)
    new = kit.runtime.life("a")
    assert new is not None
    kit.advance(10.0)
    assert kit.runtime.life("a") is new
    assert [fenced for _, fenced in seen] == [False] * 3
    assert {incarnation for incarnation, _ in seen} == {new.incarnation}


def test_a_child_stopped_by_hand_stays_stopped_until_it_is_started_by_hand(kit: Kit) -> None:
    log = Log()
    kit.tree(tree_of(log, "ab", intensity=9))
    box = kit.runtime.mailbox("a")
    waiting = box.ask(lambda actor: actor.reply_later(), kit.now() + 60.0)
    kit.settle()
    assert wish(kit, StopChild(name="a")) == Done(ok=True, sentence="a is stopped")
    with pytest.raises(Dead):
        waiting.get(1.0)
    with pytest.raises(Dead):
        box.call("anyone?", 1.0)
    kit.crash("b")
    kit.settle()
    assert log.lines.count("start a") == 1
    (root,) = kit.runtime.tree()
    assert root.children[0].child.state is State.STOPPED
    assert wish(kit, StartStopped(name="a")) == Done(ok=True, sentence="a is started")
    assert box.call("there again", 1.0) == "there again"
    assert wish(kit, StartStopped(name="a")) == Done(ok=False, sentence="a is running already")
    kit.letters.read_all()


def test_a_wish_about_nobody_is_answered_so(kit: Kit) -> None:
    kit.tree(tree_of(Log(), "a"))
    for message in (RestartChild(name="x"), StopChild(name="x"), StartStopped(name="x")):
        assert wish(kit, message) == Done(ok=False, sentence="no child of this supervisor is named x")


def test_a_restart_by_hand_that_fails_is_told_and_tried_again(kit: Kit) -> None:
    log = Log()
    kit.tree(tree_of(log, "a", intensity=3))
    log.failing_starts["a"] = 1
    done = wish(kit, RestartChild(name="a"))
    assert done == Done(ok=False, sentence="a failed at its start (OSError); it is tried again")
    assert kit.runtime.mailbox("a").call("there again", 1.0) == "there again"


def test_a_whole_group_is_restarted_stopped_and_started_by_hand(kit: Kit) -> None:
    log = Log()
    kit.tree(SupervisorSpec(children=(group("g", tree_of(log, "bc")),)))
    assert wish(kit, RestartChild(name="g")).ok
    assert log.lines.count("start c") == 2
    assert wish(kit, StopChild(name="g")).ok
    assert kit.runtime.mailbox("b").closed
    assert wish(kit, StartStopped(name="g")).ok
    assert kit.runtime.mailbox("b").call("there again", 1.0) == "there again"


def test_the_supervisor_of_a_name_is_found_for_the_operator(kit: Kit) -> None:
    kit.tree(SupervisorSpec(children=(group("g", tree_of(Log(), "b")),)))
    found = kit.runtime.supervisor_of("b")
    assert found is not None
    assert found.name == "g"
    assert kit.runtime.supervisor_of("nobody") is None


def test_an_ask_taken_over_by_a_child_that_ends_normally_is_failed(kit: Kit) -> None:
    kit.tree(SupervisorSpec(children=(child(Log(), "a", Restart.TRANSIENT),)))
    owed = ask_later(kit, "a")
    kit.runtime.mailbox("a").tell("end")
    assert owed.outcome(kit.now() + 1.0) != Late()
    assert kit.now() == 0.0


def test_a_temporary_child_that_fails_when_restarted_by_hand_is_forgotten(kit: Kit) -> None:
    log = Log()
    kit.tree(SupervisorSpec(children=(child(log, "a", Restart.TEMPORARY),)))
    log.failing_starts["a"] = 1
    done = wish(kit, RestartChild(name="a"))
    assert done == Done(ok=False, sentence="a failed at its start (OSError)")
    kit.settle()
    assert log.lines.count("fail a") == 1
    assert kit.runtime.tree()[0].children == ()
