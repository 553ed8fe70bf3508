"""Deadlines over several answers, callbacks under locks, event loops, mailboxes without a bound."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import partial

import pykka
import pytest

from actors.base import Answer, Busy, Delivery, Late, Runtime, Why, gather
from tests.kit.kit import Kit
from tests.kit.leaks import Letters
from tests.traps.bare import WAIT_S, Bare, bare_actors, wait
from tests.traps.ours import Ours

STEP_S = 0.06


def test_bare_pykka_counts_the_time_out_anew_for_each_future() -> None:
    futures = [pykka.ThreadingFuture[int]() for _ in range(3)]
    timers = [threading.Timer(STEP_S * (n + 1), future.set, [n]) for n, future in enumerate(futures)]
    before_s = time.monotonic()
    for timer in timers:
        timer.start()
    assert pykka.get_all(futures, timeout=2 * STEP_S) == [0, 1, 2]
    assert time.monotonic() - before_s > 2 * STEP_S
    for timer in timers:
        timer.join(timeout=WAIT_S)


def test_ours_gathers_by_one_absolute_deadline(kit: Kit) -> None:
    probes = [kit.probe(f"probe-{number}") for number in range(3)]
    replies = [probe.box.ask("?", kit.now() + 60.0) for probe in probes]

    def answer() -> None:
        condition = kit.world.condition()
        for probe in probes:
            probe.expect(str)
        for probe in probes:
            with condition:
                condition.wait(0.09)
            probe.reply(probe.box.name)

    kit.world.spawn("answers", answer)
    outcomes = gather(replies, kit.now() + 0.1)
    assert outcomes == [Answer("probe-0"), Late(), Late()]
    assert kit.now() == 0.1
    assert [reply.abandoned for reply in replies] == [False, True, True]
    kit.advance(1.0)
    late = kit.letters.read_all()
    assert [(letter.address, letter.reason) for letter in late] == [
        ("probe-1", Why.LATE),
        ("probe-2", Why.LATE),
    ]


def test_bare_pykka_blocks_the_event_loop_of_who_awaits() -> None:
    future = pykka.ThreadingFuture[str]()
    timer = threading.Timer(STEP_S, future.set, ["done"])

    async def count_while_waiting() -> int:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0)
                ticks += 1

        ticking = asyncio.create_task(tick())
        timer.start()
        await future
        ticking.cancel()
        return ticks

    assert asyncio.run(count_while_waiting()) <= 2
    timer.join(timeout=WAIT_S)


def test_ours_cannot_be_awaited_by_mistake_and_wakes_a_loop_by_callback(runtime: Runtime) -> None:
    box = runtime.start("child", Ours)
    reply = box.ask("hello", time.monotonic() + WAIT_S)
    assert not hasattr(reply, "__await__")

    async def wait_for_it() -> object:
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        reply.when_over(partial(loop.call_soon_threadsafe, over.set))
        await asyncio.wait_for(over.wait(), WAIT_S)
        return reply.peek()

    assert asyncio.run(wait_for_it()) == Answer("hello")


def test_bare_pykka_maps_under_the_lock_so_that_a_second_getter_overshoots() -> None:
    entered, go = threading.Event(), threading.Event()
    future = pykka.ThreadingFuture[int]()

    def slow(value: int) -> int:
        entered.set()
        wait(go)
        return value

    mapped = future.map(slow)
    future.set(1)
    first = threading.Thread(target=partial(mapped.get, timeout=WAIT_S), daemon=True)
    second = threading.Thread(target=partial(mapped.get, timeout=0.01), daemon=True)
    first.start()
    wait(entered)
    second.start()
    second.join(timeout=0.1)
    assert second.is_alive(), "a time-out of 10 ms is over after 100 ms"
    go.set()
    for thread in (first, second):
        thread.join(timeout=WAIT_S)


def test_ours_runs_no_callback_under_the_lock_of_a_reply(runtime: Runtime, letters: Letters) -> None:
    entered, go = threading.Event(), threading.Event()
    box = runtime.mailbox("nobody")
    reply = box.ask("?", time.monotonic() + WAIT_S)

    def slow() -> None:
        entered.set()
        wait(go)

    reply.on_abandon(slow)
    abandoning = threading.Thread(target=reply.abandon, daemon=True)
    abandoning.start()
    wait(entered)
    assert reply.outcome(time.monotonic() + WAIT_S) == Late()
    assert reply.abandoned
    go.set()
    abandoning.join(timeout=WAIT_S)
    box.close()
    letters.expect("nobody", Why.DEAD)


def test_bare_pykka_takes_messages_without_end() -> None:
    go = threading.Event()
    with bare_actors():
        ref = Bare.start()
        ref.tell(partial(wait, go))
        for _ in range(100_000):
            ref.tell("more")
        go.set()
        ref.stop(timeout=WAIT_S)


def test_ours_refuses_over_the_bound_at_once_and_takes_the_urgent_all_the_same(
    runtime: Runtime, letters: Letters
) -> None:
    entered, go = threading.Event(), threading.Event()
    box = runtime.start("child", Ours, bound=3)

    def block() -> None:
        entered.set()
        wait(go)

    box.tell(block)
    wait(entered)
    assert [box.tell("more") for _ in range(4)] == [Delivery.ACCEPTED] * 3 + [Delivery.BUSY]
    with pytest.raises(Busy, match="child is busy"):
        box.call("more", WAIT_S)
    ping = box.ping(time.monotonic() + WAIT_S)
    assert ping.pending
    go.set()
    assert ping.get(WAIT_S) is None
    assert [letter.reason for letter in letters.read_all()] == [Why.BUSY, Why.BUSY]
