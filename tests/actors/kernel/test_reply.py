"""Replies: once, by a deadline, abandoned by who no longer waits, callbacks outside every lock."""

from __future__ import annotations

import math

import pytest

from actors.base import Answer, Dead, Failed, Late, Refusal, Reply, TimedOut, Why, gather
from tests.kit.kit import Kit
from tests.kit.log_lines import log_lines


def reply_of(kit: Kit, deadline_s: float = math.inf) -> Reply:
    return Reply(kit.world, kit.runtime.dead_letters, "memory", deadline_s)


def test_it_is_resolved_once_and_a_second_answer_is_a_dead_letter(kit: Kit) -> None:
    reply = reply_of(kit)
    assert reply.set("first")
    assert not reply.set("second")
    assert reply.get(1.0) == reply.get(1.0) == "first"
    letter = kit.expect_dead_letter("memory", Why.LATE)
    assert (letter.type_name, letter.size) == ("str", 6)


def test_an_answer_after_the_deadline_is_late_even_if_the_asker_has_not_looked(kit: Kit) -> None:
    reply = reply_of(kit, deadline_s=5.0)
    kit.advance(5.5)
    assert not reply.set("late")
    assert reply.peek() == Late()
    assert reply.abandoned
    kit.expect_dead_letter("memory", Why.LATE)


def test_an_answer_in_time_may_be_fetched_after_the_deadline(kit: Kit) -> None:
    reply = reply_of(kit, deadline_s=5.0)
    reply.set("in time")
    kit.advance(60.0)
    assert reply.get(0.0) == "in time"


def test_a_get_that_times_out_abandons_and_is_a_time_out_error(kit: Kit) -> None:
    reply = reply_of(kit)
    with pytest.raises(TimeoutError, match="memory did not answer in time") as raised:
        reply.get(2.0)
    assert isinstance(raised.value, TimedOut)
    assert raised.value.sentence == "memory did not answer in time"
    assert kit.now() == 2.0
    assert reply.abandoned
    assert not reply.set("late")
    kit.expect_dead_letter("memory", Why.LATE)


def test_a_refusal_and_an_error_come_as_themselves(kit: Kit) -> None:
    refused, failed = reply_of(kit), reply_of(kit)
    refused.fail(Refusal("no"))
    failed.fail(Dead("memory"))
    with pytest.raises(Refusal, match="no"):
        refused.get(1.0)
    outcome = failed.outcome(kit.now() + 1.0)
    assert isinstance(outcome, Failed)
    assert isinstance(outcome.error, Dead)


def test_abandoning_wakes_the_waiter_and_runs_each_callback_once(kit: Kit) -> None:
    reply = reply_of(kit)
    ran: list[str] = []
    outcomes: list[object] = []
    reply.on_abandon(lambda: ran.append("first"))
    reply.on_abandon(lambda: ran.append("second"))
    waiter = kit.world.spawn("waiter", lambda: outcomes.append(reply.outcome(3600.0)))
    kit.settle()
    reply.abandon()
    reply.abandon()
    waiter.join(1.0)
    assert outcomes == [Late()]
    assert ran == ["first", "second"]
    assert kit.now() == 0.0
    reply.on_abandon(lambda: ran.append("at once"))
    assert ran[-1] == "at once"


def test_no_abandon_callback_runs_after_an_answer(kit: Kit) -> None:
    reply = reply_of(kit)
    ran: list[str] = []
    reply.on_abandon(lambda: ran.append("abandoned"))
    reply.set("answer")
    reply.abandon()
    reply.on_abandon(lambda: ran.append("abandoned"))
    assert ran == []
    assert not reply.abandoned


def test_callbacks_run_outside_the_lock(kit: Kit) -> None:
    """The virtual world refuses a lock under a lock: a callback that looks at its own reply shows it."""
    abandoned, answered = reply_of(kit), reply_of(kit)
    seen: list[object] = []
    abandoned.on_abandon(lambda: seen.append(abandoned.outcome(0.0)))
    answered.when_over(lambda: seen.append(answered.outcome(0.0)))
    abandoned.abandon()
    answered.set(1)
    assert seen == [Late(), Answer(1)]


def test_a_broken_callback_keeps_no_other_from_running_and_its_text_is_not_logged(kit: Kit) -> None:
    reply = reply_of(kit)
    ran: list[str] = []

    def broken() -> None:
        raise ValueError("secret")

    reply.on_abandon(broken)
    reply.on_abandon(lambda: ran.append("second"))
    with log_lines() as lines:
        reply.abandon()
    assert ran == ["second"]
    assert lines == ["ERROR a callback of a reply failed: ValueError"]


def test_gathering_waits_for_all_until_one_deadline_and_keeps_the_order(kit: Kit) -> None:
    first, second, third = (reply_of(kit) for _ in range(3))

    def answer() -> None:
        condition = kit.world.condition()
        for reply in (third, first, second):
            with condition:
                condition.wait(4.0)
            reply.set(reply.deadline_s)

    kit.world.spawn("answers", answer)
    assert gather([first, second, third], 10.0) == [Answer(math.inf), Late(), Answer(math.inf)]
    assert kit.now() == 10.0
    kit.advance(5.0)
    kit.expect_dead_letter("memory", Why.LATE)


def test_a_deadline_that_has_passed_still_gives_what_is_there(kit: Kit) -> None:
    there, missing = reply_of(kit), reply_of(kit)
    there.set("there")
    kit.advance(9.0)
    assert gather([there, missing], 1.0) == [Answer("there"), Late()]


def test_a_wait_of_many_hours_is_made_of_shorter_ones(kit: Kit) -> None:
    reply = reply_of(kit)
    assert reply.outcome(10_000.0) == Late()
    assert kit.now() == 10_000.0
