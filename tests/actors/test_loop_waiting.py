"""Messages behind a running turn: in order, each told its place, none run for who has gone."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from actors.base import CallError, NoRoom, Refusal
from actors.loop_queue import WAITING
from bxcore.messages.broker import ToolRequest
from bxcore.messages.loop import EndSession, ListSessions, Notice, Queued, Say, ShowSession, StopTurn
from tests.doubles.listener import Listener
from tests.doubles.loop_bench import NOW, LoopBench, outcome
from tests.doubles.model_server import Step
from tests.kit.leaks import Letters
from tests.kit.probe import Probe

Make = Callable[..., LoopBench]
CALL: Step = {"call": ["recall", {"query": "x"}]}


def running(bench: Make, *steps: Step) -> tuple[LoopBench, Probe, ToolRequest]:
    """A box whose session k3f runs a turn that waits for its broker."""
    box = bench(CALL, *steps, broker=False)
    broker = box.probe("broker")
    box.loop.tell(Say(session="k3f", text="the first"))
    return box, broker, broker.expect(ToolRequest)


def saying(text: str) -> tuple[Say, Listener]:
    listener = Listener()
    return Say(session="k3f", text=text, listener=listener), listener


def places(listener: Listener) -> list[int]:
    return [event.place for event in listener.heard if isinstance(event, Queued)]


def texts(box: LoopBench) -> list[str]:
    return [turn.user for turn in box.ask(ShowSession(session="k3f")).turns]


def wait_for(holds: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 5.0
    while not holds():
        assert time.monotonic() < deadline_s


def test_each_asker_is_told_its_place_and_again_when_it_moves(bench: Make) -> None:
    box, broker, waiting = running(bench, {"say": "1"}, {"say": "2"}, {"say": "3"})
    (second, one), (third, two) = saying("b"), saying("c")
    replies = [box.ask_later(second), box.ask_later(third)]
    broker.reply(outcome(waiting))
    assert [reply.get(5.0).reply for reply in replies] == ["2", "3"]
    assert (places(one), places(two)) == ([1], [2, 1])
    assert [event.kind for event in one.heard[:2]] == ["queued", "turn_started"]
    assert texts(box) == ["the first", "b", "c"]


def test_a_message_that_need_not_wait_is_told_no_place(bench: Make) -> None:
    box = bench({"say": "ok"}, {"say": "ok"})
    for text in "ab":
        message, listener = saying(text)
        box.ask(message)
        assert places(listener) == []


def test_a_stop_ends_the_running_turn_and_those_that_wait_go_on(bench: Make, letters: Letters) -> None:
    box, _, _ = running(bench, {"say": "2"}, {"say": "3"})
    replies = [box.ask_later(saying(text)[0]) for text in "bc"]
    assert box.ask(StopTurn(session="k3f")) is True
    assert [reply.get(5.0).reply for reply in replies] == ["2", "3"]
    assert texts(box) == ["the first", "b", "c"]
    letters.read_all()


def test_a_full_queue_is_a_sentence_and_loses_nobody(bench: Make, letters: Letters) -> None:
    box, broker, waiting = running(bench, *[{"say": "ok"}] * (WAITING + 1))
    replies = [box.ask_later(saying(str(number))[0], 20.0) for number in range(WAITING)]
    full = "32 messages wait in session k3f, the most there may be; wait until the running turn ends, or stop"
    with pytest.raises(NoRoom, match=full):
        box.ask(saying("one too many")[0])
    told, listener = saying("told and not asked")
    box.loop.tell(told)
    broker.reply(outcome(waiting))
    assert [reply.get(20.0).reply for reply in replies] == ["ok"] * WAITING
    (notice,) = listener.heard
    assert isinstance(notice, Notice)
    assert notice.text.startswith("32 messages wait")
    assert texts(box) == ["the first", *(str(number) for number in range(WAITING))]
    letters.read_all()


def test_a_message_whose_asker_has_gone_before_its_turn_is_not_run(bench: Make, letters: Letters) -> None:
    """Nothing of it was on disk, and who says it again must not have it done twice."""
    box, broker, waiting = running(bench, {"say": "1"}, {"say": "3"})
    gone, stays = box.ask_later(saying("gone")[0]), box.ask_later(saying("stays")[0])
    assert box.ask(ListSessions())[0].waiting == 2
    gone.abandon()
    assert box.ask(ListSessions())[0].waiting == 1
    broker.reply(outcome(waiting))
    assert stays.get(5.0).turn == 2
    assert texts(box) == ["the first", "stays"]
    letters.read_all()


def test_a_message_that_nobody_ever_waited_for_is_run(bench: Make) -> None:
    box, broker, waiting = running(bench, {"say": "1"}, {"say": "2"}, {"say": "3"})
    box.loop.tell(Say(session="k3f", text="told"))
    last = box.ask_later(saying("last")[0])
    broker.reply(outcome(waiting))
    assert last.get(5.0).turn == 3
    assert texts(box) == ["the first", "told", "last"]


def test_a_crash_of_the_session_loses_none_that_waits(bench: Make, letters: Letters) -> None:
    times = iter([NOW, None, NOW, NOW])

    def wall() -> object:
        now = next(times)
        if now is None:
            raise RuntimeError("a bug")
        return now

    box = bench(
        CALL, {"call": ["clock", {}]}, {"say": "2"}, {"say": "3"}, broker=False, changes={"wall": wall}
    )
    broker = box.probe("broker")
    first = box.ask_later(saying("a")[0])
    waiting = broker.expect(ToolRequest)
    replies = [box.ask_later(saying(text)[0]) for text in "bc"]
    broker.reply(outcome(waiting))
    with pytest.raises(Refusal, match="failed in the middle of the turn"):
        first.get(5.0)
    answered = broker.expect(object)  # what became of the call whose turn was lost
    broker.reply({})
    assert answered is not None
    assert [reply.get(5.0).reply for reply in replies] == ["2", "3"]
    assert texts(box) == ["a", "b", "c"]
    letters.read_all()


def test_a_crash_of_the_loop_tells_each_that_waits_and_runs_none_of_them(
    bench: Make, letters: Letters
) -> None:
    box, broker, waiting = running(bench, {"say": "1"}, {"say": "2"})
    waits = box.ask_later(saying("waits")[0])
    box.loop.tell("what no loop knows")
    with pytest.raises(CallError):
        waits.get(5.0)
    wait_for(lambda: box.runtime.life("loop") is None)
    box.loop = box.start_loop()
    broker.reply(outcome(waiting))
    assert box.say("again").turn == 2
    assert texts(box) == ["the first", "again"]
    letters.read_all()


def test_one_that_waits_where_no_room_is_left_is_told_so(bench: Make, letters: Letters) -> None:
    box = bench(CALL, CALL, {"say": "1"}, {"say": "2"}, broker=False, max_live=1)
    broker = box.probe("broker")
    first = box.ask_later(saying("a")[0])
    waiting = broker.expect(ToolRequest)
    behind = box.ask_later(saying("b")[0])
    assert box.ask(EndSession(session="k3f")) is True
    other = box.ask_later(Say(session="other", text="x"))
    others = broker.expect(ToolRequest)
    assert box.ask(StopTurn(session="k3f")) is True
    assert first.get(5.0).failed == "stopped"
    with pytest.raises(Refusal, match="turns run in 1 sessions, the most there may be"):
        behind.get(5.0)
    broker.reply(outcome(others))
    assert other.get(5.0).reply == "1"
    assert waiting.session == "k3f"
    assert box.say("c").turn == 2
    letters.read_all()
