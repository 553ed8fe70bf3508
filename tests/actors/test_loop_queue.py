"""Messages wait in order, each asker knows its place, and who has gone waits no more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from actors.base import Reply, Runtime
from actors.loop_queue import WAITING, Asked, SessionQueue
from bxcore.messages.loop import Queued, RunTurn, Say
from bxio.audience import Audience
from bxio.brake import Brake
from tests.doubles.listener import Listener
from tests.kit.leaks import Letters
from tests.kit.probe import Probe

Make = Callable[[str], Asked]


@pytest.fixture
def asking(runtime: Runtime, probe: Callable[[str], Probe]) -> Make:
    box = probe("nobody").box

    def make(text: str) -> Asked:
        say = Say(session="k3f", text=text, listener=Listener())
        turn = RunTurn(say=say, brake=Brake(), audience=Audience("k3f"))
        return Asked(turn=turn, reply=box.ask(say, runtime.world.monotonic() + 60.0))

    return make


def places(asked: Asked) -> list[int]:
    listener = asked.turn.say.listener
    assert isinstance(listener, Listener)
    return [event.place for event in listener.heard if isinstance(event, Queued)]


def leave(asked: Asked) -> None:
    assert isinstance(asked.reply, Reply)
    asked.reply.abandon()


def test_they_are_taken_in_order_and_told_their_place_whenever_it_moves(
    asking: Make, letters: Letters
) -> None:
    queue, all_ = SessionQueue("k3f"), [asking(text) for text in "abc"]
    assert all(queue.put(each) for each in all_)
    assert [places(each) for each in all_] == [[1], [2], [3]]
    assert queue.take() is all_[0]
    assert [places(each) for each in all_] == [[1], [2, 1], [3, 2]]
    assert [queue.take(), queue.take(), queue.take()] == [*all_[1:], None]
    letters.read_all()


def test_who_has_gone_is_not_taken_and_gives_its_place_back(asking: Make, letters: Letters) -> None:
    queue, all_ = SessionQueue("k3f"), [asking(text) for text in "abc"]
    assert all(queue.put(each) for each in all_)
    leave(all_[0])
    assert len(queue) == 2
    assert queue.take() is all_[1]
    assert places(all_[2]) == [3, 1]
    letters.read_all()


def test_only_so_many_wait_and_those_who_have_gone_do_not_count(asking: Make, letters: Letters) -> None:
    queue, all_ = SessionQueue("k3f"), [asking(str(number)) for number in range(WAITING + 2)]
    assert all(queue.put(each) for each in all_[:WAITING])
    assert not queue.put(all_[-1])
    assert places(all_[-1]) == []
    leave(all_[3])
    assert queue.put(all_[-1])
    assert not queue.put(all_[-2])
    assert places(all_[-1]) == [WAITING]
    letters.read_all()


def test_one_that_was_told_and_not_asked_never_goes_away(asking: Make, letters: Letters) -> None:
    queue, told = SessionQueue("k3f"), asking("a")
    told = Asked(turn=told.turn, reply=None)
    assert queue.put(told)
    assert queue.take() is told
    letters.read_all()
