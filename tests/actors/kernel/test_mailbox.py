"""Mailboxes: bound, lanes, deadlines, fencing, closing. Each test is one interleaving of a virtual world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from actors.base import Actor, Busy, Dead, Delivery, Expired, Failed, Why
from actors.kernel.lease import Lease
from actors.kernel.letter import Letter, Stop
from tests.kit.kit import Kit
from tests.kit.probe import take


class Collector(Actor):
    """Notes what came; blocks for so many seconds on a number."""

    def on_start(self) -> None:
        self.seen: list[Any] = []
        self._wait = self._kernel_life.runtime.world.condition()

    def on_receive(self, message: Any) -> object:
        if isinstance(message, float):
            with self._wait:
                self._wait.wait(message)
        self.seen.append(message)
        return list(self.seen)


def test_messages_of_one_sender_are_handled_in_order(kit: Kit) -> None:
    box = kit.start("box", Collector)
    for number in range(50):
        box.tell(number)
    assert box.call("end", 1.0) == [*range(50), "end"]


def test_over_its_bound_it_refuses_with_a_value_and_counts_it(kit: Kit) -> None:
    box = kit.runtime.mailbox("box", bound=2)
    assert [box.tell(text) for text in ("a", "b", "c")] == [Delivery.ACCEPTED] * 2 + [Delivery.BUSY]
    outcome = box.ask("d", kit.now() + 5.0).outcome(kit.now() + 5.0)
    assert isinstance(outcome, Failed)
    assert isinstance(outcome.error, Busy)
    assert outcome.error.sentence == "box is busy: its mailbox is full, try again"
    assert box.depth == 2
    assert kit.runtime.dead_letters.counts() == {("box", Why.BUSY): 2}
    kit.letters.read_all()
    box.close()
    kit.letters.read_all()


def test_an_ask_past_its_deadline_is_dropped_unread_and_its_asker_hears_so(kit: Kit) -> None:
    box = kit.start("box", Collector)
    box.tell(10.0)
    kit.settle()
    late = box.ask("late", kit.now() + 5.0)
    in_time = box.ask("in time", kit.now() + 60.0)
    heard: list[Any] = []
    late.when_over(lambda: heard.append(late.peek()))
    assert in_time.get(60.0) == [10.0, "in time"]
    (outcome,) = heard
    assert isinstance(outcome, Failed)
    assert isinstance(outcome.error, Expired)
    letter = kit.expect_dead_letter("box", Why.EXPIRED)
    assert (letter.type_name, letter.size) == ("str", 4)


def test_a_tell_past_its_deadline_is_dropped_unread(kit: Kit) -> None:
    box = kit.start("box", Collector)
    box.tell(10.0)
    box.tell("late", deadline_s=kit.now() + 5.0)
    box.tell("in time", deadline_s=kit.now() + 50.0)
    assert box.call("end", 60.0) == [10.0, "in time", "end"]
    kit.expect_dead_letter("box", Why.EXPIRED)


def test_an_ask_whose_asker_has_gone_is_dropped_unread(kit: Kit) -> None:
    box = kit.start("box", Collector)
    box.tell(1.0)
    gone = box.ask("gone", kit.now() + 60.0)
    gone.abandon()
    assert box.call("end", 60.0) == [1.0, "end"]
    kit.expect_dead_letter("box", Why.EXPIRED)


def test_expired_asks_are_answered_even_when_nothing_else_comes(kit: Kit) -> None:
    box = kit.start("box", Collector)
    box.tell(1.0)
    kit.settle()
    reply = box.ask("x", kit.now() + 0.5)
    kit.advance(2.0)
    assert not reply.pending
    kit.expect_dead_letter("box", Why.EXPIRED)


def test_closing_answers_who_waits_and_counts_what_was_told(kit: Kit) -> None:
    box = kit.runtime.mailbox("box")
    asked = box.ask("a", kit.now() + 60.0)
    box.tell("b")
    box.close()
    with pytest.raises(Dead, match="box is stopped and will not answer"):
        asked.get(60.0)
    assert box.tell("c") is Delivery.CLOSED
    with pytest.raises(Dead):
        box.call("d", 60.0)
    assert kit.now() == 0.0
    assert kit.runtime.dead_letters.counts() == {("box", Why.DEAD): 4}
    kit.letters.read_all()


def test_a_closed_mailbox_ends_its_actor(kit: Kit) -> None:
    box = kit.start("box", Collector)
    box.close()
    kit.settle()
    assert kit.runtime.life("box") is None


def test_the_urgent_lane_goes_first_and_has_no_bound(kit: Kit) -> None:
    box = kit.runtime.mailbox("box", bound=1)
    box.tell("normal")
    assert box.deliver(Letter("urgent", epoch=1), urgent=True)
    lease = Lease(box)
    assert [take(lease), take(lease)] == ["urgent", "normal"]
    box.close()


def test_a_stop_meant_for_an_earlier_incarnation_is_not_heard(kit: Kit) -> None:
    box = kit.runtime.mailbox("box")
    old = Lease(box)
    box.deliver(Letter(Stop(comes_back=False), epoch=old.epoch), urgent=True)
    new = Lease(box)
    box.tell("work")
    assert take(new) == "work"
    box.close()


def test_timers_that_are_always_due_hold_up_neither_mail_nor_a_stop(kit: Kit) -> None:
    class Eager(Collector):
        def on_receive(self, message: Any) -> object:
            if message == "tick":
                self.tell_later(0.0, "tick")
                return None
            return message

    box = kit.start("box", Eager)
    box.tell("tick")
    assert box.call("hello", 1.0) == "hello"
    assert kit.runtime.stop("box")


def test_reopening_takes_messages_again(kit: Kit) -> None:
    box = kit.runtime.mailbox("box")
    box.close()
    box.reopen()
    assert box.tell("a") is Delivery.ACCEPTED
    box.close()
    kit.letters.read_all()


@dataclass(frozen=True, slots=True, kw_only=True)
class Undelivered:
    heard: list[str]

    def undelivered(self) -> None:
        self.heard.append("undelivered")


def test_a_message_may_hear_that_nobody_will_read_it(kit: Kit) -> None:
    heard: list[str] = []
    box = kit.runtime.mailbox("box", bound=1)
    box.tell(Undelivered(heard=heard))
    box.tell(Undelivered(heard=heard))
    assert heard == ["undelivered"]
    box.close()
    assert heard == ["undelivered"] * 2
    kit.letters.read_all()


def test_a_ping_waits_for_the_next_incarnation(kit: Kit) -> None:
    box = kit.runtime.mailbox("box")
    ping = box.ping(kit.now() + 5.0)
    kit.start("box", Collector)
    assert ping.get(1.0) is None


def test_the_sentence_of_an_expired_ask(kit: Kit) -> None:
    assert Expired("box").sentence == "box could not take the request before its deadline"
    assert kit.now() == 0.0
