"""The real world: the machine's clock, daemon threads, plain conditions."""

from __future__ import annotations

import threading
import time

from actors.base import RealWorld


def test_its_clock_is_the_monotonic_one_and_its_chance_is_below_one() -> None:
    world = RealWorld()
    before = time.monotonic()
    assert before <= world.monotonic() <= time.monotonic()
    assert abs(world.wall() - time.time()) < 5.0
    assert 0.0 <= world.random() < 1.0


def test_its_threads_are_named_daemons() -> None:
    seen: list[threading.Thread] = []
    thread = RealWorld().spawn("memory", lambda: seen.append(threading.current_thread()))
    thread.join(5.0)
    assert not thread.is_alive()
    assert [(found.name, found.daemon) for found in seen] == [("memory", True)]


def test_its_conditions_wake_who_waits() -> None:
    world = RealWorld()
    condition = world.condition()
    woken: list[bool] = []

    def wait() -> None:
        with condition:
            ready.set()
            woken.append(condition.wait(5.0))

    ready = threading.Event()
    thread = world.spawn("waits", wait)
    assert ready.wait(5.0)
    with condition:
        condition.notify_all()
    thread.join(5.0)
    assert woken == [True]
