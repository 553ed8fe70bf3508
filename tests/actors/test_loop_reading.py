"""Logs are read outside of the loop, which goes on meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from bxcore.messages.loop import ListSessions, Queued, ShowSession, StopTurn, TurnText
from bxcore.records import Record
from bxio.session_store import SessionStore
from tests.doubles.loop_bench import LoopBench

Make = Callable[..., LoopBench]


def test_a_long_session_that_is_read_holds_up_neither_loop_nor_turns(
    bench: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = bench({"say": "one"}, {"say": "two"})
    box.say("hi", "long")
    reading, go_on, read = threading.Event(), threading.Event(), SessionStore.read

    def slow(store: SessionStore, session: str) -> tuple[Record, ...]:
        reading.set()
        assert go_on.wait(10.0)
        return read(store, session)

    monkeypatch.setattr(SessionStore, "read", slow)
    shown = [box.ask_later(ShowSession(session="long")), box.ask_later(ListSessions())]
    assert reading.wait(10.0)
    assert box.ask(StopTurn(session="long")) is False
    assert box.say("hi", "other").reply == "two"
    assert all(each.pending for each in shown)
    go_on.set()
    assert shown[0].get(5.0).turns == (TurnText(user="hi", reply="one"),)
    assert [info.session for info in shown[1].get(5.0)][-1] == "long"


def test_the_errands_that_read_are_gone_afterwards(bench: Make) -> None:
    box = bench({"say": "ok"})
    box.say("hi")
    for _ in range(150):
        assert len(box.ask(ListSessions())) == 1
    names = {life.name for life in box.runtime.lives()}
    assert len([name for name in names if "session.logs" in name]) <= 1
    assert len([each for each in box.runtime.mailboxes() if "session.logs" in each.name]) <= 1


def test_a_list_says_what_waits_and_what_a_session_is_about(bench: Make) -> None:
    asked, go_on = threading.Event(), threading.Event()
    box = bench()

    def choose(_body: object) -> dict[str, str]:
        asked.set()
        assert go_on.wait(10.0)
        return {"say": "ok"}

    box.server._choose = choose
    turns = [box.ask_later(box.saying(text)) for text in ("plan the\ntrip", "two", "three")]
    while not isinstance(event := box.listener.expect(object), Queued) or event.place != 2:
        pass
    assert asked.wait(10.0)
    (info,) = box.ask(ListSessions())
    assert (info.title, info.waiting, info.turns, info.live) == ("plan the trip", 2, 1, True)
    assert box.ask(ShowSession(session="k3f")).info == info
    go_on.set()
    assert [turn.get(5.0).turn for turn in turns] == [1, 2, 3]
