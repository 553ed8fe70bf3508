"""Turns over the wire: a chat's lines, and a watch's until the client leaves; the loop is scripted."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from actors.base import Refusal, Runtime
from actors.connection import Limits
from bxcore.control import requests as r
from bxcore.messages.loop import (
    LeaveSession,
    Notice,
    Queued,
    Say,
    TextDelta,
    TurnOver,
    TurnStarted,
    WatchSession,
)
from tests.doubles.control_box import HELD, ControlBox, MakeBox, connected, control_boxes, turn
from tests.doubles.control_client import ask, chat, no, sent
from tests.kit.leaks import Letters

SAY = Say(session="main", text="hi")


@pytest.fixture
def make(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    yield from control_boxes(runtime, monkeypatch)


@contextmanager
def streaming(box: ControlBox, request: r.WatchRequest | r.ChatRequest) -> Iterator[Any]:
    """A client that has the head of its answer; it reads lines from what this yields."""
    with connected(box) as client:
        client.sendall(sent(request))
        response = http.client.HTTPResponse(client)
        response.begin()
        assert response.status == 200
        yield response


def line(response: Any) -> Any:
    return json.loads(response.readline())


def wait_for(holds: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(500):
        if holds():
            return
        pause.wait(0.02)
    raise AssertionError("it never came to that")


def test_a_watch_shows_turn_after_turn_until_the_client_leaves(make: MakeBox, letters: Letters) -> None:
    box = make(script=lambda _: None)
    with streaming(box, r.WatchRequest(session="k3f")) as response:
        (watch,) = box.seen
        assert isinstance(watch, WatchSession)
        assert watch.session == "k3f"
        for number in (1, 2):
            watch.listener.tell(TurnStarted(session="k3f", turn=number, text="hi", speaker="ada"))
            assert line(response) == {
                "kind": "turn_started",
                "turn": number,
                "text": "hi",
                "speaker": "ada",
            }
            watch.listener.tell(TurnOver(result=turn(SAY)))
            assert line(response)["result"]["reply"] == "the blue tin"
        response.fp.raw._sock.shutdown(socket.SHUT_RDWR)  # the client goes
    watch.listener.tell(Notice(session="k3f", text="is anybody there?"))
    wait_for(lambda: len(box.seen) == 2)
    assert box.seen[1] == LeaveSession(session="k3f", listener=watch.listener)
    wait_for(lambda: len(box.chats) == 0)
    letters.read_all()


def test_news_that_come_before_the_loops_yes_are_shown_behind_the_head(make: MakeBox) -> None:
    def script(message: WatchSession) -> object:
        if isinstance(message, WatchSession):
            message.listener.tell(TextDelta(session="main", text="so far"))
        return None

    box = make(script=script)
    with streaming(box, r.WatchRequest()) as response:
        assert line(response) == {"kind": "text_delta", "text": "so far"}


def test_a_watch_that_the_loop_refuses_is_a_no(make: MakeBox) -> None:
    def script(message: object) -> object:
        if isinstance(message, WatchSession):
            raise Refusal("16 watch session main, the most there may be")
        return None

    box = make(script=script)
    assert no(box, r.WatchRequest()) == (500, "failed", "16 watch session main, the most there may be")
    assert no(box, r.WatchRequest(session="../x"))[:2] == (400, "bad_request")


def test_a_quiet_watch_shows_signs_of_life(make: MakeBox) -> None:
    box = make(script=lambda _: None, limits=Limits(sign_of_life_s=0.02))
    with streaming(box, r.WatchRequest()) as response:
        assert [line(response), line(response)] == [{"kind": "waiting"}] * 2


def test_a_chat_is_told_its_place_in_the_queue(make: MakeBox) -> None:
    def script(say: Say) -> object:
        assert say.listener is not None
        for place in (2, 1):
            say.listener.tell(Queued(session="main", place=place))
        return turn(say)

    lines = chat(make(script=script), r.ChatRequest(text="hi"))
    assert lines[:2] == [{"kind": "queued", "place": 2}, {"kind": "queued", "place": 1}]
    assert lines[-1]["kind"] == "result"


def test_a_chat_whose_client_has_gone_is_waited_for_no_more(make: MakeBox, letters: Letters) -> None:
    box = make(script=lambda _: HELD, limits=Limits(sign_of_life_s=0.02))
    with streaming(box, r.ChatRequest(text="hi")):
        wait_for(lambda: len(box.held) == 1)
    wait_for(lambda: box.held[0].abandoned)
    letters.read_all()


def queued(box: ControlBox, response: Any, place: int = 1) -> None:
    (say,) = [message for message in box.seen if isinstance(message, Say)]
    assert say.listener is not None
    say.listener.tell(Queued(session="main", place=place))
    assert line(response) == {"kind": "queued", "place": place}


def test_a_waiting_message_is_taken_back_by_a_client_that_closes_its_side(
    make: MakeBox, letters: Letters
) -> None:
    box = make(script=lambda _: HELD, limits=Limits(look_s=0.02))
    with streaming(box, r.ChatRequest(text="hi")) as response:
        wait_for(lambda: len(box.held) == 1)
        queued(box, response, 2)
        queued(box, response, 1)
        response.fp.raw._sock.shutdown(socket.SHUT_WR)
        wait_for(lambda: box.held[0].abandoned)
        with pytest.raises(http.client.IncompleteRead):
            response.read()
    letters.read_all()


def test_a_turn_that_has_begun_is_not_taken_back_by_that(make: MakeBox) -> None:
    box = make(script=lambda _: HELD, limits=Limits(look_s=0.02))
    with streaming(box, r.ChatRequest(text="hi")) as response:
        wait_for(lambda: len(box.held) == 1)
        queued(box, response)
        (say,) = box.seen
        say.listener.tell(TurnStarted(session="main", turn=1))
        assert line(response)["kind"] == "turn_started"
        response.fp.raw._sock.shutdown(socket.SHUT_WR)
        threading.Event().wait(0.1)
        box.held.pop().set(turn(SAY))
        assert line(response)["kind"] == "result"


def gone(box: ControlBox) -> None:
    """Wait until no connection is left."""
    wait_for(lambda: not any("connections/" in each.name for each in box.runtime.mailboxes()))


def test_a_silent_turn_shows_signs_of_life(make: MakeBox) -> None:
    go_on = threading.Event()

    def script(say: Say) -> object:
        assert go_on.wait(10)
        return turn(say)

    box = make(script=script, limits=Limits(sign_of_life_s=0.02))
    with connected(box) as client:
        client.sendall(sent(r.ChatRequest(text="hi")))
        response = http.client.HTTPResponse(client)
        response.begin()
        assert json.loads(response.readline()) == {"kind": "waiting"}
        assert json.loads(response.readline()) == {"kind": "waiting"}
        go_on.set()
        rest = [json.loads(line)["kind"] for line in response.read().splitlines()]
    assert rest[-1] == "result"


def test_a_client_that_does_not_read_holds_up_no_turn(make: MakeBox, letters: Letters) -> None:
    over = threading.Event()

    def script(say: Say) -> object:
        assert say.listener is not None
        for _ in range(3000):
            say.listener.tell(TextDelta(session="main", text="x" * 1000))
        over.set()
        return turn(say)

    box = make(script=script, limits=Limits(write_s=0.2))
    with connected(box) as deaf:
        deaf.sendall(sent(r.ChatRequest(text="hi")))
        assert over.wait(10)
        assert ask(box, r.VersionRequest())[0] == 200
        gone(box)
    letters.read_all()


def test_news_behind_the_turns_end_is_no_dead_letter(make: MakeBox) -> None:
    box = make(script=lambda _: HELD)
    with connected(box) as client:
        client.sendall(sent(r.ChatRequest(text="hi")))
        wait_for(lambda: bool(box.held))
        listener = box.seen[0].listener
        for _ in range(100):
            listener.tell(TextDelta(session="main", text="x" * 60_000))
        response = http.client.HTTPResponse(client)
        response.begin()
        assert json.loads(response.readline())["kind"] == "text_delta"  # it has taken them, and is writing
        box.held[0].set(turn(box.seen[0]))
        listener.tell(TextDelta(session="main", text="too late"))
        rest = response.read()
    assert b"too late" not in rest
    assert json.loads(rest.splitlines()[-1])["kind"] == "result"
    gone(box)
    assert box.runtime.dead_letters.snapshot() == ()


def test_a_client_that_leaves_during_a_turn_frees_its_place(make: MakeBox, letters: Letters) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def script(say: Say) -> object:
        asked.set()
        assert go_on.wait(10)
        return turn(say)

    box = make(script=script, limits=Limits(sign_of_life_s=0.02))
    with connected(box) as client:
        client.sendall(sent(r.ChatRequest(text="hi")))
        assert asked.wait(10)
    gone(box)
    go_on.set()
    assert ask(box, r.VersionRequest())[0] == 200
    letters.read_all()
