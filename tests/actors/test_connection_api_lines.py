from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from actors.base import Answer, Dead, Failed, Late, Outcome
from actors.connection_api_lines import ApiLines, stopped
from bxcore.labels import TOP
from bxcore.messages.loop import TextDelta, ToolStarted, TurnResult, TurnStarted, Usage
from bxcore.openai_api.answers import Reply
from bxcore.openai_api.asked import Asked
from bxio.http_server import ClientGoneError, HttpExchange
from bxio.turn_stream import TurnStream


@dataclass(slots=True, kw_only=True)
class Wire:
    """A client's socket, and what is told of its turn."""

    client: socket.socket
    exchange: HttpExchange

    def lines(self, *, stream: bool) -> ApiLines:
        return ApiLines(
            http=self.exchange,
            news=TurnStream("conn", lambda: None),
            until=lambda: time.monotonic() + 5,
            asked=Asked(text="hi", session="s", stream=stream),
            reply=Reply(session="s", turn=0, created=1),
        )

    def sent(self) -> bytes:
        self.exchange.close()
        got = b""
        while piece := self.client.recv(65_536):
            got += piece
        return got


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    monkeypatch.setattr("bxio.http_server.DRAIN_S", 0.05)
    client, server = socket.socketpair()
    client.settimeout(5)
    exchange = HttpExchange(server)
    client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    exchange.read(time.monotonic() + 5)
    yield Wire(client=client, exchange=exchange)
    client.close()
    exchange.close()


def result(reply: str | None, failed: str | None = None) -> Outcome:
    usage = Usage(prompt=1, completion=1)
    return Answer(
        TurnResult(session="s", turn=4, reply=reply, failed=failed, tools=(), label=TOP, usage=usage)
    )


def test_nothing_is_sent_before_there_is_something_to_say(wire: Wire) -> None:
    lines = wire.lines(stream=True)
    lines.begin()
    lines.news.tell(TurnStarted(session="s", turn=4))
    lines.news.tell(ToolStarted(session="s", call="c", tool="clock", arguments="{}"))
    lines.show()
    assert lines.running
    assert wire.sent() == b""


@pytest.mark.parametrize("outcome", [Failed(Dead("loop")), Late(), result(None, "it is down")])
@pytest.mark.parametrize("words", [True, False])
def test_what_fails_late_is_an_event_and_what_fails_early_a_status(
    wire: Wire,
    outcome: Outcome,
    words: bool,  # noqa: FBT001
) -> None:
    lines = wire.lines(stream=True)
    if words:
        lines.news.tell(TextDelta(session="s", text="let me"))
        lines.show()
    lines.finish(outcome)
    got = wire.sent()
    assert got.startswith(b"HTTP/1.1 200 ") is words
    assert got.count(b'"error":{"message"') == 1
    assert b"[DONE]" not in got
    assert not lines.running


def test_an_empty_reply_is_a_whole_stream_too(wire: Wire) -> None:
    lines = wire.lines(stream=True)
    lines.finish(result(""))
    events: list[Any] = [
        json.loads(line[6:]) for line in wire.sent().splitlines() if line.startswith(b"data: {")
    ]
    assert events[0]["choices"][0]["delta"]["role"] == "assistant"
    assert events[-1]["choices"][0]["finish_reason"] == "stop"


def test_the_role_is_said_once(wire: Wire) -> None:
    lines = wire.lines(stream=True)
    for text in ("the ", "blue "):
        lines.news.tell(TextDelta(session="s", text=text))
        lines.show()
    lines.finish(result("the blue tin"))
    got = wire.sent()
    assert got.count(b'"role"') == 1
    assert got.count(b'"content":"tin"') == 1


def test_a_client_that_has_left_is_found_by_a_sign_of_life(wire: Wire) -> None:
    for stream in (True, False):
        wire.lines(stream=stream).show_life()
    wire.client.close()
    for stream in (True, False):
        with pytest.raises(ClientGoneError):
            wire.lines(stream=stream).show_life()


def test_a_stop_that_could_not_be_asked_for_is_no_answer() -> None:
    assert stopped("s", Late()) == Late()
