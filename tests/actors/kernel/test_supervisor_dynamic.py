"""Dynamic children: started by message on a mailbox made beforehand, bounded, temporary, stopped at once."""

from __future__ import annotations

from typing import Any

import pytest

from actors.base import Busy, Crashed, Dead, Mailbox
from bxcore.messages.supervision import Done, RestartChild, StartChild, StopChild
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from tests.kit.children import Log, child, group
from tests.kit.kit import Kit


def begin(kit: Kit, most: int = 3, intensity: int = 1) -> Mailbox:
    asks = group("asks", SupervisorSpec(max_children=most, intensity=intensity))
    kit.tree(SupervisorSpec(children=(asks,), intensity=intensity))
    return kit.runtime.mailbox("asks")


def start(kit: Kit, spec: ChildSpec) -> Mailbox:
    box = kit.runtime.mailbox(spec.name, bound=4)
    kit.runtime.mailbox("asks").tell(StartChild(spec=spec, mailbox=box))
    return box


def temporary(log: Log, name: str, **options: Any) -> ChildSpec:
    return child(log, name, Restart.TEMPORARY, **options)


def test_it_can_be_asked_before_it_is_started(kit: Kit) -> None:
    begin(kit)
    assert start(kit, temporary(Log(), "asks/1")).call("hello", 1.0) == "hello"


def test_one_whose_mailbox_was_closed_meanwhile_is_not_started(kit: Kit) -> None:
    begin(kit)
    log = Log()
    kit.runtime.mailbox("asks/1").close()
    box = start(kit, temporary(log, "asks/1"))
    kit.settle()
    assert (log.lines, box.closed) == ([], True)
    assert box not in kit.runtime.mailboxes()


def test_one_that_ended_is_forgotten_with_its_mailbox(kit: Kit) -> None:
    begin(kit)
    box = start(kit, temporary(Log(), "asks/1"))
    box.tell("end")
    kit.settle()
    assert box.closed
    assert box not in kit.runtime.mailboxes()
    assert [node.children for node in kit.runtime.tree()[0].children] == [()]


def test_one_that_crashed_is_never_started_again_and_who_waits_behind_hears_dead(kit: Kit) -> None:
    begin(kit, intensity=0)
    log = Log()
    box = start(kit, temporary(log, "asks/1"))
    crashing, behind = (box.ask(message, kit.now() + 60.0) for message in (SystemExit, "behind"))
    with pytest.raises(Crashed):
        crashing.get(1.0)
    with pytest.raises(Dead):
        behind.get(1.0)
    assert kit.now() == 0.0
    assert log.lines.count("start asks/1") == 1
    kit.letters.read_all()


def test_a_failed_start_fails_the_reply_at_once(kit: Kit) -> None:
    begin(kit, intensity=0)
    reply = start(kit, temporary(Log(failing_starts={"asks/1": 1}), "asks/1")).ask("hello", kit.now() + 60.0)
    with pytest.raises(Dead):
        reply.get(60.0)
    assert kit.now() == 0.0
    kit.letters.read_all()


def test_one_too_many_is_busy_at_once_and_there_is_room_again_when_one_ends(kit: Kit) -> None:
    begin(kit, most=2)
    log = Log()
    first, _ = (start(kit, temporary(log, f"asks/{number}")) for number in (1, 2))
    reply = start(kit, temporary(log, "asks/3")).ask("hello", kit.now() + 60.0)
    with pytest.raises((Busy, Dead)):
        reply.get(60.0)
    assert kit.now() == 0.0
    first.tell("end")
    kit.settle()
    assert start(kit, temporary(log, "asks/4")).call("hello", 1.0) == "hello"
    kit.letters.read_all()


def test_a_slow_start_holds_up_no_sibling_and_is_fenced_after_its_budget(kit: Kit) -> None:
    begin(kit)
    log = Log(slow={("start", "asks/1"): 100.0})
    slow = start(kit, temporary(log, "asks/1", start_s=2.0)).ask("hello", kit.now() + 60.0)
    assert start(kit, temporary(log, "asks/2")).call("hello", 1.0) == "hello"
    assert kit.now() == 0.0
    with pytest.raises(Dead):
        slow.get(60.0)
    assert kit.now() == 2.0
    assert [zombie.name for zombie in kit.runtime.zombies.snapshot()] == ["asks/1"]
    kit.advance(100.0)
    kit.letters.read_all()


def test_dynamic_children_are_stopped_at_once_not_one_by_one(kit: Kit) -> None:
    log = Log(slow={("stop", f"asks/{number}"): 4.0 for number in range(3)})
    begin(kit)
    boxes = [start(kit, temporary(log, f"asks/{number}")) for number in range(3)]
    kit.settle()
    assert kit.runtime.mailbox("root").call(StopChild(name="asks"), 60.0).ok
    assert kit.now() == 4.0
    assert all(box.closed for box in boxes)


def test_children_are_lost_when_their_supervisor_is_restarted_and_new_ones_may_come(kit: Kit) -> None:
    log = Log()
    begin(kit)
    box = start(kit, temporary(log, "asks/1"))
    reply = box.ask(lambda actor: actor.reply_later(), kit.now() + 60.0)
    kit.settle()
    kit.crash("asks")
    with pytest.raises(Dead):
        reply.get(60.0)
    assert kit.now() == 0.0
    assert start(kit, temporary(log, "asks/2")).call("hello", 1.0) == "hello"


def test_a_wish_that_no_supervisor_will_read_closes_the_mailbox(kit: Kit) -> None:
    begin(kit)
    assert kit.runtime.mailbox("root").call(StopChild(name="asks"), 5.0).ok
    box = start(kit, temporary(Log(), "asks/1"))
    with pytest.raises(Dead):
        box.call("hello", 60.0)
    assert kit.now() == 0.0
    kit.letters.read_all()


def test_an_unsound_or_unwanted_start_closes_the_mailbox(kit: Kit) -> None:
    begin(kit)
    log = Log()
    taken = start(kit, temporary(log, "asks/1"))
    kit.settle()
    for spec in (temporary(log, "asks/2", start_s=-1.0), temporary(log, "asks/1")):
        box = kit.runtime.mailbox("another/" + spec.name)
        kit.runtime.mailbox("asks").tell(StartChild(spec=spec, mailbox=box))
        kit.settle()
        assert box.closed
    box = kit.runtime.mailbox("root/child")
    kit.runtime.mailbox("root").tell(StartChild(spec=temporary(log, "root/child"), mailbox=box))
    kit.settle()
    assert box.closed
    assert taken.call("hello", 1.0) == "hello"


def test_a_permanent_dynamic_child_is_restarted_until_it_is_too_often(kit: Kit) -> None:
    log = Log()
    begin(kit, intensity=2)
    box = start(kit, child(log, "asks/1"))
    kit.settle()
    for _ in range(2):
        kit.crash("asks/1")
        kit.expect_restart("asks/1")
    assert box.call("hello", 1.0) == "hello"
    kit.crash("asks/1")
    kit.settle()
    assert box.closed


def test_an_operator_stops_one_but_does_not_restart_it(kit: Kit) -> None:
    asks = begin(kit)
    box = start(kit, temporary(Log(), "asks/1"))
    assert asks.call(RestartChild(name="asks/1"), 1.0) == Done(
        ok=False,
        sentence="asks/1 is started when it is needed, and not restarted by hand; stop it instead",
    )
    assert asks.call(StopChild(name="asks/1"), 1.0).ok
    assert box.closed
