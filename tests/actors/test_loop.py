"""The loop's routing: sessions side by side, in order within one, and clear words when one fails."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from actors.base import Refusal, Why
from bxcore.labels import TOP
from bxcore.messages.broker import ToolRequest
from bxcore.messages.loop import (
    EndSession,
    ListSessions,
    Say,
    ShowSession,
    StopTurn,
    TurnStarted,
)
from tests.doubles.loop_bench import NOW, TRUSTED, LoopBench, outcome
from tests.doubles.model_server import Step
from tests.kit.leaks import Letters

Make = Callable[..., LoopBench]
CALL: Step = {"call": ["recall", {"query": "x"}]}


def test_messages_of_one_session_are_turns_in_order(bench: Make) -> None:
    box = bench(*({"say": f"reply {number}"} for number in range(1, 6)))
    replies = [box.ask_later(box.saying(f"text {number}")) for number in range(1, 6)]
    results = [reply.get(5.0) for reply in replies]
    assert [result.turn for result in results] == [1, 2, 3, 4, 5]
    assert [result.reply for result in results] == [f"reply {number}" for number in range(1, 6)]


def test_a_hanging_call_holds_up_no_other_session(bench: Make) -> None:
    box = bench(CALL, {"say": "two"}, {"say": "one"}, broker=False)
    broker = box.probe("broker")
    first = box.ask_later(box.saying("hi", "one"))
    waiting = broker.expect(ToolRequest)
    assert box.say("hi", "two").reply == "two"
    assert first.pending
    broker.reply(outcome(waiting))
    assert first.get(5.0).reply == "one"


def test_a_stop_ends_the_running_turn_and_not_the_next_one(bench: Make, letters: Letters) -> None:
    box = bench(CALL, {"say": "the next one"}, broker=False)
    broker = box.probe("broker")
    first, second = (box.ask_later(box.saying(text)) for text in ("one", "two"))
    broker.expect(ToolRequest)
    assert box.ask(StopTurn(session="k3f")) is True
    assert (first.get(1.0).failed, second.get(5.0).reply) == ("stopped", "the next one")
    letters.read_all()


def test_a_stop_of_a_session_that_is_not_live_is_a_no(bench: Make) -> None:
    assert bench().ask(StopTurn(session="k3f")) is False


@pytest.mark.parametrize("name", ["", "..", "A", "a/b", "x" * 65])
def test_a_bad_session_name_is_a_sentence(bench: Make, name: str) -> None:
    box = bench()
    for message in (
        Say(session=name, text="hi"),
        StopTurn(session=name),
        ShowSession(session=name),
        EndSession(session=name),
    ):
        with pytest.raises(Refusal, match="a session's name has 1 to 64"):
            box.ask(message)


def test_turns_in_too_many_sessions_are_refused_until_one_ends(bench: Make, letters: Letters) -> None:
    box = bench(CALL, CALL, *[{"say": "ok"}] * 5, max_live=2, broker=False)
    broker = box.probe("broker")
    one = box.ask_later(box.saying("hi", "one"))
    broker.expect(ToolRequest)
    two = box.ask_later(box.saying("hi", "two"))
    second = broker.expect(ToolRequest)
    with pytest.raises(Refusal, match="turns run in 2 sessions, the most there may be; stop one"):
        box.say("hi", "three")
    broker.reply(outcome(second))
    assert two.get(5.0).reply == "ok"
    assert box.say("hi", "three").reply == "ok"
    assert box.ask(StopTurn(session="one")) is True
    assert one.get(5.0).failed == "stopped"
    assert box.say("hi again", "two").turn == 2
    letters.read_all()


def test_the_session_that_was_idle_for_longest_makes_room_and_comes_back(
    bench: Make, letters: Letters
) -> None:
    box = bench(*[{"say": "ok"}] * 30, max_live=2)
    for name in ("one", "two", "one", "three"):
        box.say("hi", name)
    assert {info.session for info in box.ask(ListSessions()) if info.live} == {"one", "three"}
    turns = [box.say("hi", f"s{number % 5}").turn for number in range(20)]
    assert turns == [1] * 5 + [2] * 5 + [3] * 5 + [4] * 5
    assert box.say("hi", "two").turn == 2
    letters.read_all()


def test_an_ended_session_goes_on_from_its_log(bench: Make, letters: Letters) -> None:
    box = bench(*[{"say": "ok"}] * 3)
    box.say("one")
    assert box.ask(EndSession(session="k3f")) is True
    assert box.ask(EndSession(session="k3f")) is False
    assert box.say("two").turn == 2
    letters.read_all()


def test_an_end_waits_for_the_turns_before_it_and_keeps_the_order_of_those_behind(
    bench: Make, letters: Letters
) -> None:
    box = bench(CALL, *[{"say": "ok"}] * 9, broker=False)
    broker = box.probe("broker")
    turn = box.ask_later(box.saying("hi"))
    waiting = broker.expect(ToolRequest)
    assert box.ask(EndSession(session="k3f")) is True
    later = [box.ask_later(box.saying(f"text {number}")) for number in range(4)]
    broker.reply(outcome(waiting))
    later += [box.ask_later(box.saying(f"text {number}")) for number in range(4, 8)]
    assert turn.get(5.0).reply == "ok"
    assert [reply.get(5.0).turn for reply in later] == list(range(2, 10))
    assert [turn.user for turn in box.ask(ShowSession(session="k3f")).turns][1:] == [
        f"text {number}" for number in range(8)
    ]
    letters.read_all()


def test_an_idle_session_ends_itself_and_comes_back(bench: Make, letters: Letters) -> None:
    """What is said while it ends finds its mailbox closed, is counted there, and goes to the next actor."""
    box = bench(*[{"say": "ok"}] * 60, changes={"idle_s": 0.0})
    assert [box.say("hi").turn for _ in range(50)] == list(range(1, 51))
    deadline_s = time.monotonic() + 5.0
    while box.runtime.life("loop/k3f") is not None:
        assert time.monotonic() < deadline_s
    assert box.say("hi").turn == 51
    assert {letter.reason for letter in letters.read_all()} <= {Why.DEAD}


def test_sessions_that_have_ended_by_themselves_make_room(bench: Make) -> None:
    box = bench(*[{"say": "ok"}] * 3, max_live=1, changes={"idle_s": 0.0})
    for name in ("one", "two", "three"):
        assert box.say("hi", name).reply == "ok"
        deadline_s = time.monotonic() + 5.0
        while f"loop/{name}" in {mailbox.name for mailbox in box.runtime.mailboxes()}:
            assert time.monotonic() < deadline_s
        assert not any(info.live for info in box.ask(ListSessions()))


def test_a_crash_of_a_session_is_one_sentence_and_the_next_turn_resumes(
    bench: Make, letters: Letters
) -> None:
    crashes = iter([True, False])

    def wall() -> object:
        if next(crashes):
            raise RuntimeError("a bug")
        return NOW

    box = bench({"say": "back"}, changes={"wall": wall})
    with pytest.raises(Refusal, match=r"session k3f failed in the middle of the turn \(RuntimeError\)"):
        box.say("hi")
    assert box.say("hi").reply == "back"
    letters.read_all()


def test_a_loop_that_comes_back_finds_the_sessions_that_live(bench: Make) -> None:
    box = bench({"say": "one"}, {"say": "two"})
    box.say("hi")
    life = box.runtime.life("loop/k3f")
    box.runtime.stop("loop")
    box.loop = box.start_loop()
    assert box.say("hi again").turn == 2
    assert box.runtime.life("loop/k3f") is life


def test_an_asker_that_has_gone_does_not_end_the_turn(bench: Make, letters: Letters) -> None:
    box = bench(CALL, {"say": "done"}, {"say": "again"}, broker=False)
    broker = box.probe("broker")
    turn = box.ask_later(box.saying("hi"))
    waiting = broker.expect(ToolRequest)
    turn.abandon()
    broker.reply(outcome(waiting))
    box.listener.expect(TurnStarted)
    assert box.say("hi").turn == 2
    assert [turn.reply for turn in box.ask(ShowSession(session="k3f")).turns] == ["done", "again"]
    letters.read_all()


def test_sessions_are_listed_with_turns_and_label(bench: Make) -> None:
    box = bench(*[{"say": "ok"}] * 3)
    box.say("hi", "one")
    box.say("hi", "two")
    box.say("hi", "two")
    listed = {info.session: info for info in box.ask(ListSessions())}
    assert {name: (info.turns, info.live, info.label) for name, info in listed.items()} == {
        "one": (1, True, TRUSTED),
        "two": (2, True, TRUSTED),
    }
    assert len(box.ask(ListSessions(limit=1))) == 1
    box.restart_everything()
    assert [info.live for info in box.ask(ListSessions())] == [False, False]


def test_a_session_is_shown_with_its_turns(bench: Make, tmp_path: Path) -> None:
    box = bench({"say": "hello"}, {"status": 500}, {"status": 500}, {"status": 500})
    box.say("hi")
    box.say("fails")
    view = box.ask(ShowSession(session="k3f"))
    assert [(turn.user, turn.reply) for turn in view.turns] == [("hi", "hello"), ("fails", None)]
    assert view.turns[1].failed
    assert (view.info.turns, view.info.live) == (2, True)
    assert box.ask(ShowSession(session="other")) is None
    log = tmp_path / "sessions" / "k3f" / "0.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"schema":1', b'"schema":2'))
    with pytest.raises(Refusal, match="session k3f: line 1 of the log is damaged"):
        box.ask(ShowSession(session="k3f"))
    assert [info.label for info in box.ask(ListSessions())] == [TOP]


def test_a_turn_that_nobody_waits_for_runs_all_the_same(bench: Make) -> None:
    done = Event()

    def choose(_body: object) -> Step:
        done.set()
        return {"say": "ok"}

    box = bench()
    box.server._choose = choose
    box.loop.tell(box.saying("hi"))
    assert done.wait(5.0)
    assert box.say("hi").turn == 2


def test_inspect_shows_how_many_live(bench: Make) -> None:
    box = bench({"say": "ok"})
    box.say("hi")
    inspection = box.runtime.inspect("loop", 2.0)
    assert inspection is not None
    assert inspection.facts == {"live": 1, "requests": 0, "waiting": 0}
