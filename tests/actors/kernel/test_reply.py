"""Replies: once, by a deadline, abandoned by who no longer waits, callbacks outside every lock."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import pytest

from actors.base import Answer, Dead, Failed, Late, Refusal, Reply, TimedOut, Why, gather
from tests.kit.kit import Kit
from tests.kit.log_lines import log_lines
from tests.kit.real_kit import RealKit


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


@pytest.mark.parametrize(("now_s", "unwanted"), [(9.0, True), (10.0, False), (11.0, False)])
def test_an_answer_is_unwanted_when_its_asker_let_go_before_the_deadline(
    kit: Kit, now_s: float, *, unwanted: bool
) -> None:
    reply = Reply(kit.world, kit.runtime.dead_letters, "memory", 10.0)
    kit.advance(now_s)
    reply.abandon()
    assert reply.peek() == Late()
    assert not reply.set("answer")
    assert kit.expect_dead_letter("memory", Why.LATE).unwanted is unwanted


def test_an_answer_that_was_waited_for_until_the_deadline_is_wanted(kit: Kit) -> None:
    reply = Reply(kit.world, kit.runtime.dead_letters, "memory", 10.0)
    assert reply.outcome(5.0) == Late()
    reply.abandon()
    assert not reply.set("answer")
    assert not kit.expect_dead_letter("memory", Why.LATE).unwanted


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


def outcomes_of(kit: Kit, wait: Callable[[], object]) -> list[tuple[float, object]]:
    """When a waiter in its own thread got what; it has begun to wait."""
    seen: list[tuple[float, object]] = []

    def run() -> None:
        found = wait()
        seen.append((kit.now(), found))

    kit.world.spawn("waiter", run)
    kit.settle()
    return seen


def test_who_waits_for_its_own_deadline_notices_that_it_moves(kit: Kit) -> None:
    reply = reply_of(kit, deadline_s=5.0)
    seen = outcomes_of(kit, reply.outcome)
    kit.advance(4.0)
    assert reply.extend(20.0)
    kit.advance(10.0)
    assert reply.pending
    reply.set("after the first deadline")
    kit.settle()
    assert seen == [(14.0, Answer("after the first deadline"))]


def test_a_get_with_a_longer_time_out_notices_it_too(kit: Kit) -> None:
    reply = reply_of(kit, deadline_s=5.0)
    seen = outcomes_of(kit, lambda: reply.get(12.0))
    reply.extend(20.0)
    kit.advance(11.0)
    reply.set("answer")
    kit.settle()
    assert seen == [(11.0, "answer")]


def test_a_wait_of_ones_own_is_not_made_longer(kit: Kit) -> None:
    reply = reply_of(kit, deadline_s=5.0)
    seen = outcomes_of(kit, lambda: reply.outcome(5.0))
    reply.extend(20.0)
    kit.advance(6.0)
    assert seen == [(5.0, Late())]
    assert reply.abandoned


def test_a_deadline_only_moves_later(kit: Kit) -> None:
    reply = reply_of(kit, deadline_s=5.0)
    assert reply.extend(3.0)
    assert reply.deadline_s == 5.0
    kit.advance(4.0)
    assert reply.set("in time")


def test_a_moved_deadline_ends_the_wait_as_the_first_one_would_have(kit: Kit) -> None:
    reply = reply_of(kit, deadline_s=5.0)
    seen = outcomes_of(kit, reply.outcome)
    reply.extend(9.0)
    kit.advance(10.0)
    assert seen == [(9.0, Late())]
    assert not reply.set("late")
    kit.expect_dead_letter("memory", Why.LATE)


def test_nothing_that_is_over_or_late_can_be_extended(kit: Kit) -> None:
    answered, abandoned, late = reply_of(kit), reply_of(kit), reply_of(kit, deadline_s=5.0)
    answered.set(1)
    abandoned.abandon()
    kit.advance(5.5)
    assert not answered.extend(9.0)
    assert not abandoned.extend(9.0)
    assert not late.extend(9.0)
    assert late.deadline_s == 5.0


@pytest.mark.parametrize("seed", range(60))
def test_an_extension_at_the_very_deadline_holds_or_is_refused(seed: int) -> None:
    """Whatever runs first: after a True the waiter waits on, after a False it has gone."""
    kit = Kit(seed, preemption=0.5)
    reply = reply_of(kit, deadline_s=5.0)
    extended: list[bool] = []

    def extend() -> None:
        condition = kit.world.condition()
        with condition:
            condition.wait(5.0)
        extended.append(reply.extend(8.0))

    seen = outcomes_of(kit, reply.outcome)
    kit.world.spawn("extends", extend)
    kit.advance(6.0)
    assert seen == ([] if extended == [True] else [(5.0, Late())])
    kit.advance(3.0)
    assert seen == [(8.0 if extended == [True] else 5.0, Late())]
    assert kit.close() == []


def test_many_threads_extend_and_one_answers(real_kit: RealKit) -> None:
    """On real threads: the latest deadline stands, and the answer comes through."""
    world = real_kit.runtime.world
    reply = Reply(world, real_kit.runtime.dead_letters, "memory", world.monotonic() + 30.0)
    first_s = reply.deadline_s

    def extend(number: int) -> None:
        for step in range(100):
            reply.extend(first_s + number + step / 100)

    threads = [world.spawn(f"extends-{n}", partial(extend, n)) for n in range(8)]
    for thread in threads:
        thread.join(10.0)
    assert reply.deadline_s == pytest.approx(first_s + 7.99)
    world.spawn("answers", lambda: reply.set_if_pending("answer"))
    assert reply.outcome() == Answer("answer")
