"""Starts: in order, each ready before the next, within a budget, and a failed one fails all."""

from __future__ import annotations

import pytest

from actors.base import NeverReady, Refusal, Restarting, State
from bxcore.backoff import Backoff
from bxcore.messages.supervision import TryAgain
from bxcore.supervision import ChildSpec, Strategy, SupervisorSpec
from tests.kit.children import Log, child, group, tree_of
from tests.kit.kit import Kit
from tests.kit.log_lines import log_lines


def test_children_start_in_order_each_ready_before_the_next(kit: Kit) -> None:
    log = Log(slow={("start", "a"): 3.0})
    kit.tree(tree_of(log, "abc"))
    assert log.lines == ["start a", "start b", "start c"]
    assert kit.now() == 3.0


def test_a_failed_start_stops_what_was_started_and_fails_the_tree(kit: Kit) -> None:
    log = Log(failing_starts={"c": 1})
    with pytest.raises(NeverReady, match=r"^c failed at its start \(OSError\)$"):
        kit.tree(tree_of(log, "abcd"))
    assert [line for line in log.lines if not line.startswith("cut")] == [
        "start a",
        "start b",
        "fail c",
        "stop b",
        "stop a",
    ]
    assert all(kit.runtime.mailbox(name).closed for name in ("root", "a", "b", "c"))


def test_a_child_that_is_not_ready_within_its_budget_has_failed_and_is_fenced(kit: Kit) -> None:
    log = Log(slow={("start", "a"): 60.0})
    with pytest.raises(NeverReady, match=r"a failed at its start \(not ready within 2 s\)"):
        kit.tree(SupervisorSpec(children=(child(log, "a", start_s=2.0),)))
    assert kit.now() == 2.0
    assert [zombie.name for zombie in kit.runtime.zombies.snapshot()] == ["a"]
    assert "cut a" in log.lines
    kit.advance(60.0)
    assert kit.runtime.zombies.snapshot() == ()
    assert "stop a" not in log.lines


def test_an_unsound_spec_lists_every_problem_and_starts_nothing(kit: Kit) -> None:
    log = Log()
    children = (child(log, "a"), child(log, "a"), child(log, "B", bound=0))
    with pytest.raises(NeverReady) as raised:
        kit.tree(SupervisorSpec(children=children, intensity=-1))
    assert str(raised.value).split("; ") == [
        "intensity is -1, it must be 0 or more",
        "2 children are named 'a', but a name is one mailbox",
        "child 'B': its name must be small letters, digits, '-', '_', '.', with '/' between parts",
        "child 'B': bound is 0, it must be 1 or more",
    ]
    assert log.lines == []


def test_what_a_child_refuses_at_its_start_is_the_reason_that_is_shown(kit: Kit) -> None:
    log = Log()

    def busy_port(_: object) -> None:
        raise Refusal("port 8080 is in use")

    spec = SupervisorSpec(children=(child(log, "a"), ChildSpec(name="web", start=busy_port)))
    with pytest.raises(NeverReady, match=r"^web failed at its start \(port 8080 is in use\)$"):
        kit.tree(spec)


def test_the_reason_of_a_start_that_failed_deep_below_names_the_one_at_fault(kit: Kit) -> None:
    def busy_port(_: object) -> None:
        raise Refusal("port 8080 is in use")

    inner = group("inner", SupervisorSpec(children=(ChildSpec(name="web", start=busy_port),)))
    outer = group("outer", SupervisorSpec(children=(inner,)))
    with pytest.raises(NeverReady, match=r"^web failed at its start \(port 8080 is in use\)$"):
        kit.tree(SupervisorSpec(children=(outer,)))


def test_a_refused_start_is_one_line_in_the_log_however_deep_it_stands(kit: Kit) -> None:
    def busy_port(_: object) -> None:
        raise Refusal("port 8080 is in use")

    web = SupervisorSpec(children=(ChildSpec(name="web", start=busy_port),))
    with log_lines() as lines, pytest.raises(NeverReady, match="port 8080 is in use"):
        kit.tree(SupervisorSpec(children=(group("outer", SupervisorSpec(children=(group("inner", web),))),)))
    assert lines == ["ERROR web cannot start: port 8080 is in use"]


def test_a_second_actor_of_a_name_is_a_failed_start_and_the_first_goes_on(kit: Kit) -> None:
    log = Log()
    inner = group("inner", tree_of(log, "a"))
    with pytest.raises(NeverReady, match="another actor is named a"), log_lines():
        kit.tree(SupervisorSpec(children=(child(log, "a"), inner)))
    assert log.lines.count("start a") == 1


def test_a_thread_that_cannot_start_is_a_failed_start(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log()
    spawn = kit.world.spawn

    def spawn_no_more(name: str, target: object) -> object:
        if name == "b":
            raise RuntimeError("can't start new thread")
        return spawn(name, target)  # type: ignore[arg-type] # handed through

    monkeypatch.setattr(kit.world, "spawn", spawn_no_more)
    with pytest.raises(NeverReady, match=r"b failed at its start \(RuntimeError\)"):
        kit.tree(tree_of(log, "ab"))


def test_a_network_child_that_fails_at_first_is_tried_again_after_a_growing_rest(kit: Kit) -> None:
    log = Log(failing_starts={"net": 3})
    rests = Backoff(first_s=1.0, most_s=60.0)
    spec = SupervisorSpec(intensity=0, children=(child(log, "net", backoff=rests), child(log, "b")))
    kit.tree(spec)
    assert log.lines == ["fail net", "start b"]
    waiting = kit.runtime.mailbox("net").ask("kept", kit.now() + 60.0)
    kit.advance(0.4)
    assert log.lines == ["fail net", "start b"]
    kit.advance(7.0)
    assert log.lines == ["fail net", "start b", "fail net", "fail net", "start net"]
    assert waiting.get(1.0) == "kept"


def test_who_depends_on_a_network_child_waits_with_it(kit: Kit) -> None:
    log = Log(failing_starts={"net": 1})
    children = (child(log, "net", backoff=Backoff(first_s=1.0, most_s=2.0)), child(log, "b"))
    kit.tree(SupervisorSpec(strategy=Strategy.REST_FOR_ONE, children=children))
    assert log.lines == ["fail net"]
    (root,) = kit.runtime.tree()
    assert [node.child.state for node in root.children] == [State.RESTARTING, State.RESTARTING]
    kit.advance(1.0)
    assert log.lines == ["fail net", "start net", "start b"]


def test_a_stop_cuts_a_slow_start_short(kit: Kit) -> None:
    log = Log(slow={("start", "b"): 4.0})
    root = kit.tree(SupervisorSpec(children=(child(log, "a"), child(log, "b", shutdown_s=1.0))))
    kit.crash("b")
    kit.settle()
    begun = kit.now()
    assert root.stop(60.0)
    assert kit.now() - begun == 1.0
    assert log.lines[-1] == "stop a"
    assert [zombie.name for zombie in kit.runtime.zombies.snapshot()] == ["b"]
    kit.advance(4.0)
    assert kit.runtime.zombies.snapshot() == ()


def test_a_stop_is_heard_while_a_child_fails_again_and_again(kit: Kit) -> None:
    log = Log()
    root = kit.tree(tree_of(log, "ab", intensity=1_000_000))
    log.failing_starts["b"] = 1_000_000
    kit.crash("b")
    stopping = kit.world.spawn("stops", lambda: root.stop(5.0) and None)  # type: ignore[arg-type]
    stopping.join(5.0)
    assert root.ended
    assert kit.now() == 0.0
    assert log.lines[-1] == "stop a"


def test_a_try_again_of_an_earlier_incarnation_is_ignored(kit: Kit) -> None:
    log = Log()
    root = kit.tree(tree_of(log, "a"))
    root.box.tell(TryAgain(name="a", incarnation=1))
    root.box.tell(TryAgain(name="nobody", incarnation=1))
    kit.settle()
    assert log.lines == ["start a"]


def test_a_reply_taken_over_is_failed_when_its_actor_goes_down(kit: Kit) -> None:
    kit.tree(tree_of(Log(), "a", intensity=3))
    owed = kit.runtime.mailbox("a").ask(lambda actor: actor.reply_later(), kit.now() + 60.0)
    kit.settle()
    kit.crash("a")
    with pytest.raises(Restarting):
        owed.get(1.0)
    assert kit.now() == 0.0
