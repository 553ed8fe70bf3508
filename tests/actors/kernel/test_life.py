"""An incarnation's end is told once, to the very supervisor that began it, with nothing owed any more."""

from __future__ import annotations

from functools import partial

from actors.base import Dead, Failed, Restarting
from actors.kernel.launch import launch
from actors.kernel.life import Life
from bxcore.messages.supervision import Down
from tests.kit.children import Child, Log
from tests.kit.kit import Kit
from tests.kit.probe import Probe


def begin(kit: Kit, *, comes_back: bool = True) -> tuple[Life, Probe]:
    parent = kit.probe("parent")
    box = kit.runtime.mailbox("child")
    life = launch(kit.runtime, partial(Child, log=Log()), box, parent=parent.box, comes_back=comes_back)
    kit.settle()
    return life, parent


def test_a_crash_is_told_with_its_type_and_incarnation(kit: Kit) -> None:
    life, parent = begin(kit)
    kit.crash("child", MemoryError("secret"))
    parent.expect(object)
    down = parent.expect(Down)
    assert down == Down(name="child", incarnation=1, reason="crashed", error="MemoryError")
    parent.expect_none(within_s=60.0)
    assert not life.alive
    life.lease.box.close()


def test_the_first_crash_is_the_one_that_is_told(kit: Kit) -> None:
    life, parent = begin(kit)
    life.crash(ValueError())
    life.crash(KeyError())
    assert life.error == "ValueError"
    kit.crash("child")
    parent.expect(object)
    assert parent.expect(Down).error == "ValueError"
    life.lease.box.close()


def test_a_later_incarnation_of_the_supervisor_does_not_hear_of_it(kit: Kit) -> None:
    life, parent = begin(kit)
    parent.box.fence()
    kit.crash("child")
    kit.settle()
    later = Probe(kit.runtime, "parent")
    later.expect_none(within_s=5.0)
    life.lease.box.close()


def test_the_news_are_taken_whatever_the_bound_of_the_supervisors_mailbox(kit: Kit) -> None:
    life, parent = begin(kit)
    parent.box.bound = 1
    parent.box.tell("fills it")
    kit.crash("child")
    kit.settle()
    assert parent.expect(str) == "fills it"
    parent.expect(object)
    parent.expect(Down)
    life.lease.box.close()


def test_fencing_answers_who_was_asked_and_tells_no_end(kit: Kit) -> None:
    for comes_back, error in ((True, Restarting), (False, Dead)):
        life, parent = begin(kit, comes_back=comes_back)
        owed = life.lease.box.ask(lambda actor: actor.reply_later(), kit.now() + 99.0)
        in_hand = life.lease.box.ask(50.0, kit.now() + 99.0)
        kit.settle()
        life.fence()
        for reply in (owed, in_hand):
            outcome = reply.peek()
            assert isinstance(outcome, Failed)
            assert isinstance(outcome.error, error)
        kit.advance(50.0)
        assert not life.alive
        parent.expect_none()
        kit.letters.read_all()
        life.lease.box.close()
        kit.runtime.mailbox("child").reopen()
    kit.runtime.mailbox("child").close()


def test_an_ended_life_holds_its_actor_no_more(kit: Kit) -> None:
    life, _ = begin(kit)
    held = [life.actor is not None]
    kit.crash("child")
    kit.settle()
    held.append(life.actor is not None)
    assert held == [True, False]
    life.lease.box.close()
