"""The pulse goes on only while everybody whom it pings answers."""

from __future__ import annotations

from functools import partial
from typing import Any

from actors.base import Actor
from actors.clock import Clock
from tests.kit.kit import Kit
from tests.kit.log_lines import log_lines


class Sleeper(Actor):
    """Blocks in a message for as long as it says."""

    def on_receive(self, message: Any) -> None:
        condition = self._kernel_life.runtime.world.condition()
        with condition:
            condition.wait(message)


def begin(kit: Kit, names: tuple[str, ...]) -> tuple[list[float], list[float]]:
    beats: list[float] = []
    checks: list[float] = []
    boxes = [kit.start(name, Sleeper) for name in names]
    make = partial(
        Clock,
        period_s=10.0,
        addresses=boxes,
        beat=lambda: beats.append(kit.now()),
        check=lambda: checks.append(kit.now()),
    )
    kit.start("clock", make)
    return beats, checks


def test_it_beats_when_every_ping_came_back(kit: Kit) -> None:
    beats, checks = begin(kit, ("memory", "broker"))
    kit.advance(35.0)
    assert beats == [10.0, 20.0, 30.0]
    assert checks == [10.0, 20.0, 30.0]


def test_a_stuck_actor_stops_the_pulse_and_is_named_and_it_comes_back(kit: Kit) -> None:
    beats, _ = begin(kit, ("memory", "broker"))
    kit.runtime.mailbox("memory").tell(28.0)
    with log_lines() as lines:
        kit.advance(35.0)
    assert lines == ["WARNING no answer to a ping within 10 s from memory"]
    assert beats == [28.0, 30.0]


def test_a_ping_goes_ahead_of_what_waits(kit: Kit) -> None:
    beats, _ = begin(kit, ("memory",))
    for _ in range(200):
        kit.runtime.mailbox("memory").tell(0.1)
    kit.advance(11.0)
    assert len(beats) == 1
    kit.advance(20.0)


def test_an_actor_that_was_stopped_for_good_does_not_stop_the_pulse(kit: Kit) -> None:
    beats, _ = begin(kit, ("memory", "broker"))
    assert kit.runtime.stop("memory")
    with log_lines() as lines:
        kit.advance(10.5)
    assert (lines, beats) == ([], [10.0])
