"""A brake is pulled once, from any thread, and wakes what waits."""

from __future__ import annotations

from functools import partial
from threading import Thread

from bxio.brake import Brake


def test_a_pull_runs_every_callback_once() -> None:
    brake, heard = Brake(), list[int]()
    brake.on_pull(lambda: heard.append(1))
    brake.on_pull(lambda: heard.append(2))
    assert not brake.pulled()
    brake.pull()
    brake.pull()
    assert (heard, brake.pulled()) == ([1, 2], True)


def test_a_callback_after_the_pull_runs_at_once() -> None:
    brake, heard = Brake(), list[int]()
    brake.pull()
    brake.on_pull(lambda: heard.append(1))
    assert heard == [1]


def test_a_pull_after_the_turn_does_nothing() -> None:
    brake, heard = Brake(), list[int]()
    brake.on_pull(lambda: heard.append(1))
    brake.release()
    brake.pull()
    assert (heard, brake.pulled(), brake.over) == ([], False, True)


def test_no_callback_is_lost_or_run_twice_between_threads() -> None:
    for _ in range(100):
        assert sorted(_heard_while_pulling()) == list(range(20))


def _heard_while_pulling() -> list[int]:
    brake, heard = Brake(), list[int]()
    puller = Thread(target=brake.pull)
    puller.start()
    for number in range(20):
        brake.on_pull(partial(heard.append, number))
    puller.join(timeout=5)
    return heard
