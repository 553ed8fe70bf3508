"""Waiting for replies without blocking: one message to oneself, at the last answer or the deadline."""

from __future__ import annotations

from typing import Any

from actors.base import Actor, Answer, Context, Dead, Failed, Late, Outcome, Reply, Why
from bxcore.supervision import ChildSpec, SupervisorSpec
from tests.kit.kit import Kit


class Asker(Actor):
    """Asks every name of a message, and notes what came and when."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.heard: list[Any] = []
        self._runtime = context.runtime

    def on_receive(self, message: Any) -> object:
        if isinstance(message, tuple):
            names, wait_s = message
            replies = [self._runtime.mailbox(name).ask("?", self.now() + 100.0) for name in names]
            until_s = None if wait_s is None else self.now() + wait_s
            self.pipe(replies, until_s, self._gathered)
        elif isinstance(message, dict):
            self.heard.append((self.now(), message["outcomes"]))
        return list(self.heard)

    def _gathered(self, outcomes: list[Outcome]) -> dict[str, Any]:
        return {"outcomes": outcomes}


def test_it_is_told_once_when_the_last_has_answered(kit: Kit) -> None:
    a, b = kit.probe("a"), kit.probe("b")
    box = kit.start("asker", Asker)
    box.tell((("a", "b"), 9.0))
    for probe in (b, a):
        probe.expect(str)
        kit.advance(2.0)
        assert box.call("any?", 1.0) == []
        probe.reply(probe.box.name)
    assert box.call("any?", 1.0) == [(4.0, [Answer("a"), Answer("b")])]
    kit.advance(20.0)
    assert len(box.call("any?", 1.0)) == 1


def test_at_the_deadline_the_late_ones_are_abandoned(kit: Kit) -> None:
    a, b = kit.probe("a"), kit.probe("b")
    box = kit.start("asker", Asker)
    box.tell((("a", "b"), 9.0))
    a.expect(str)
    a.reply("in time")
    b.expect(str)
    kit.advance(9.0)
    assert box.call("any?", 1.0) == [(9.0, [Answer("in time"), Late()])]
    b.reply("late")
    kit.expect_dead_letter("b", Why.LATE)


def test_with_nobody_to_wait_for_it_is_told_at_once(kit: Kit) -> None:
    box = kit.start("asker", Asker)
    box.tell(((), 9.0))
    assert box.call("any?", 1.0) == [] or kit.now() == 0.0
    assert box.call("any?", 1.0) == [(0.0, [])]


def test_replies_that_are_over_already_count(kit: Kit) -> None:
    kit.runtime.mailbox("a").close()
    box = kit.start("asker", Asker)
    box.tell((("a",), 9.0))
    kit.settle()
    ((at_s, (outcome,)),) = box.call("any?", 1.0)
    assert at_s == 0.0
    assert isinstance(outcome, Failed)
    assert isinstance(outcome.error, Dead)
    kit.letters.read_all()


def test_a_full_mailbox_takes_it_all_the_same(kit: Kit) -> None:
    a = kit.probe("a")
    box = kit.start("asker", Asker, bound=1)
    box.tell((("a",), 9.0))
    a.expect(str)
    box.tell("fills it")
    a.reply("x")
    kit.settle()
    assert len(box.call("any?", 1.0)) == 1


def test_what_a_crashed_actor_waited_for_is_abandoned_and_never_told_to_the_next(kit: Kit) -> None:
    a = kit.probe("a")
    kit.tree(SupervisorSpec(children=(ChildSpec(name="asker", start=Asker),)))
    box = kit.runtime.mailbox("asker")
    box.tell((("a",), 9.0))
    a.expect(str)
    kit.crash("asker")
    kit.settle()
    a.reply("too late")
    kit.expect_dead_letter("a", Why.LATE)
    kit.advance(20.0)
    assert box.call("any?", 1.0) == []


def test_make_that_raises_crashes_the_actor(kit: Kit) -> None:
    class Broken(Asker):
        def _gathered(self, outcomes: list[Outcome]) -> dict[str, Any]:
            raise KeyError(len(outcomes))

    kit.tree(SupervisorSpec(children=(ChildSpec(name="asker", start=Broken),)))
    kit.runtime.mailbox("asker").tell(((), 9.0))
    assert kit.expect_restart("asker") == 2


def test_a_reply_can_be_piped_from_another_thread(kit: Kit) -> None:
    reply = Reply(kit.world, kit.runtime.dead_letters, "outside", 50.0)

    class Waiter(Asker):
        def on_start(self) -> None:
            self.pipe([reply], 50.0, self._gathered)

    box = kit.start("asker", Waiter)
    kit.world.spawn("outside", lambda: reply.set(5) and None)  # type: ignore[arg-type]
    kit.settle()
    assert box.call("any?", 1.0) == [(0.0, [Answer(5)])]


def test_without_a_deadline_each_reply_has_its_own_wherever_it_is_moved_to(kit: Kit) -> None:
    a, b = kit.probe("a"), kit.probe("b")
    box = kit.start("asker", Asker)
    box.tell((("a", "b"), None))
    a.expect(str)
    b.expect(str)
    assert b._letter is not None
    assert b._letter.reply is not None
    b._letter.reply.extend(150.0)
    kit.advance(120.0)
    assert box.call("any?", 1.0) == []
    b.reply("after the first deadline")
    assert box.call("any?", 1.0) == [(120.0, [Late(), Answer("after the first deadline")])]
    a.reply("late")
    kit.expect_dead_letter("a", Why.LATE)
    kit.advance(100.0)
    assert len(box.call("any?", 1.0)) == 1


def test_an_own_deadline_that_was_moved_ends_the_wait_in_its_turn(kit: Kit) -> None:
    a = kit.probe("a")
    box = kit.start("asker", Asker)
    box.tell((("a",), None))
    a.expect(str)
    assert a._letter is not None
    assert a._letter.reply is not None
    a._letter.reply.extend(150.0)
    kit.advance(149.0)
    assert box.call("any?", 1.0) == []
    kit.advance(2.0)
    assert box.call("any?", 1.0) == [(150.0, [Late()])]
