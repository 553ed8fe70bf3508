"""Who watches a session hears each of its turns, whoever asks, and whatever crashes meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from actors.base import Refusal
from bxcore.address import Delivery
from bxcore.messages.broker import ToolRequest
from bxcore.messages.loop import (
    EndSession,
    LeaveSession,
    StopTurn,
    TextDelta,
    TurnEvent,
    TurnOver,
    TurnStarted,
    WatchSession,
)
from bxcore.records import Assistant, Usage
from bxio.audience import MOST_WATCHERS
from bxio.session_store import SessionStore
from tests.doubles.listener import Listener
from tests.doubles.loop_bench import NOW, LoopBench, kinds, outcome
from tests.doubles.model_server import Step
from tests.kit.leaks import Letters
from tests.kit.probe import Probe

Make = Callable[..., LoopBench]
CALL: Step = {"call": ["recall", {"query": "x"}]}


def watcher(box: LoopBench, name: str = "watcher", session: str = "k3f") -> Probe:
    probe = box.probe(name)
    assert box.ask(WatchSession(session=session, listener=probe.box)) is None
    return probe


def wait_for(holds: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 5.0
    while not holds():
        assert time.monotonic() < deadline_s


def until_over(probe: Probe) -> list[TurnEvent]:
    """What it hears up to the end of a turn, which is its last."""
    heard: list[Any] = []
    while not (heard and isinstance(heard[-1], TurnOver)):
        heard.append(probe.expect(object, 10.0))
    return heard


def test_every_watcher_hears_every_turn_and_its_result(bench: Make) -> None:
    box = bench({"say": "hello Anna"}, {"say": "again"})
    one, two = watcher(box, "one"), watcher(box, "two")
    results = [box.say("hi"), box.say("and?")]
    for probe in (one, two):
        for result, text in zip(results, ("hi", "and?"), strict=True):
            heard = until_over(probe)
            assert heard[0] == TurnStarted(session="k3f", turn=result.turn, text=text, speaker="anna")
            assert kinds(heard) == ["turn_started", "text_delta", "turn_over"]
            assert heard[-1] == TurnOver(result=result)
    assert kinds(box.events()) == ["turn_started", "text_delta"] * 2


def test_another_sessions_turns_are_not_heard(bench: Make) -> None:
    box = bench({"say": "one"}, {"say": "two"})
    probe = watcher(box)
    box.say("hi", "other")
    box.say("hi")
    assert {event.session for event in until_over(probe)[:-1]} == {"k3f"}  # type: ignore[union-attr]


def test_who_joins_in_the_middle_of_a_turn_hears_it_whole(bench: Make) -> None:
    box = bench(CALL, {"say": "done"}, broker=False)
    broker = box.probe("broker")
    turn = box.ask_later(box.saying("do it"))
    waiting = broker.expect(ToolRequest)
    probe = watcher(box)
    assert kinds([probe.expect(TurnStarted), probe.expect(object)]) == [  # type: ignore[list-item]
        "turn_started",
        "tool_started",
    ]
    broker.reply(outcome(waiting))
    assert kinds(until_over(probe)) == ["tool_ended", "text_delta", "turn_over"]
    assert turn.get(5.0).reply == "done"


def test_the_end_is_told_when_it_is_on_disk(bench: Make) -> None:
    box = bench({"say": "hello"})
    seen: list[list[type]] = []

    class Looking(Listener):
        def tell(self, message: TurnEvent, *, deadline_s: float | None = None) -> Delivery:
            if isinstance(message, TurnOver):
                seen.append([type(record) for record in SessionStore(box.store.folder).read("k3f")])
            return super().tell(message, deadline_s=deadline_s)

    box.ask(WatchSession(session="k3f", listener=Looking()))
    box.say("hi")
    assert [kinds_[-2:] for kinds_ in seen] == [[Assistant, Usage]]


def test_who_has_left_hears_no_more(bench: Make) -> None:
    box = bench({"say": "one"}, {"say": "two"})
    listener = Listener()
    box.ask(WatchSession(session="k3f", listener=listener))
    box.loop.tell(LeaveSession(session="k3f", listener=listener))
    box.say("hi")
    assert listener.asked == 0


def test_too_many_watchers_are_refused_with_a_sentence(bench: Make) -> None:
    box = bench()
    for _ in range(MOST_WATCHERS):
        box.ask(WatchSession(session="k3f", listener=Listener()))
    with pytest.raises(Refusal, match="16 watch session k3f, the most there may be; end one of them"):
        box.ask(WatchSession(session="k3f", listener=Listener()))


def test_a_full_watcher_holds_up_no_turn_and_hears_the_end(bench: Make) -> None:
    box = bench({"say": "a long reply " * 50}, {"say": "two"})
    full, free = Listener(Delivery.BUSY), Listener()
    for listener in (full, free):
        box.ask(WatchSession(session="k3f", listener=listener))
    result = box.say("hi")
    assert free.heard[-1] == TurnOver(result=result)
    assert full.asked > 10
    full.says = Delivery.ACCEPTED
    box.say("and?")
    assert full.heard[0] == TurnOver(result=result)
    assert kinds(full.heard[1:]) == ["turn_started", "text_delta", "turn_over"]


@pytest.mark.parametrize("how", ["restart", "crash"])
def test_a_loop_that_comes_back_has_lost_no_watcher_and_can_stop_what_runs(
    bench: Make, letters: Letters, how: str
) -> None:
    box = bench(CALL, {"say": "after"}, broker=False)
    broker, probe = box.probe("broker"), watcher(box)
    box.loop.tell(box.saying("do it"))
    broker.expect(ToolRequest)
    probe.expect(TurnStarted)
    if how == "restart":
        box.runtime.stop("loop")
    else:
        box.loop.tell("what no loop knows")
        wait_for(lambda: box.runtime.life("loop") is None)
    box.loop = box.start_loop()
    late = watcher(box, "late")
    assert late.expect(TurnStarted).text == "do it"
    behind = box.ask_later(box.saying("and then?"))
    assert box.ask(StopTurn(session="k3f")) is True
    for each in (probe, late):
        end = until_over(each)[-1]
        assert isinstance(end, TurnOver)
        assert (end.result.turn, end.result.failed) == (1, "stopped")
    assert behind.get(5.0).reply == "after"
    assert until_over(probe)[-1] == until_over(late)[-1]
    letters.read_all()


def test_a_crash_of_the_session_is_told_to_watchers_who_hear_the_next_turn(
    bench: Make, letters: Letters
) -> None:
    times = iter([NOW, None, NOW])

    def wall() -> object:
        now = next(times)
        if now is None:
            raise RuntimeError("a bug")
        return now

    box = bench({"call": ["clock", {}]}, {"say": "back"}, changes={"wall": wall})
    probe = watcher(box)
    with pytest.raises(Refusal, match="failed in the middle of the turn"):
        box.say("hi")
    lost = until_over(probe)
    end = lost[-1]
    assert isinstance(end, TurnOver)
    assert (lost[0].kind, end.result.turn, end.result.reply) == ("turn_started", 1, None)
    assert end.result.failed is not None
    assert end.result.failed.startswith("session k3f failed in the middle of the turn (RuntimeError)")
    assert box.say("again").reply == "back"
    assert kinds(until_over(probe)) == ["notice", "turn_started", "text_delta", "turn_over"]
    letters.read_all()


def test_a_session_that_ends_and_comes_back_keeps_its_watchers(bench: Make, letters: Letters) -> None:
    box = bench({"say": "one"}, {"say": "two"})
    probe = watcher(box)
    box.say("hi")
    until_over(probe)
    assert box.ask(EndSession(session="k3f")) is True
    box.say("hi")
    assert kinds(until_over(probe)) == ["turn_started", "text_delta", "turn_over"]
    letters.read_all()


def test_text_reaches_a_watcher_while_the_model_writes(bench: Make) -> None:
    box = bench({"say": "word " * 40, "drip_s": 0.02})
    probe = watcher(box)
    turn = box.ask_later(box.saying("hi"))
    probe.expect(TurnStarted)
    assert probe.expect(TextDelta).text
    assert turn.pending
    turn.get(10.0)
    assert box.ask(StopTurn(session="k3f")) is False
    until_over(probe)
