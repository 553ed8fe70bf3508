"""Answers cut, late, packed and odd, byte by byte at the wire: each is whole, or one clear sentence."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from bxcore.messages.model import Endpoint
from bxcore.model.request_body import request_body
from bxcore.model.values import ModelReply, ModelRequest, ModelUsage, UserMessage
from bxio.deadline_http import Cut
from bxio.model.errors import ModelUnavailable
from bxio.model.exchange import Exchange, Retriable
from tests.doubles.bad_manners import speaks_no_http
from tests.doubles.loopback import Handler, LoopbackServer
from tests.doubles.raw_model import DONE, end, event, sends, text

REQUEST = ModelRequest(profile="native", baseline=(), history=(UserMessage(text="hi"),))
GRUESSE = text("Grüße 😀")


class Asked:
    """One exchange with a server that answers so, and what was shown of it."""

    def __init__(
        self, handler: Handler, *, first_s: float = 3.0, whole_s: float = 5.0, stall_s: float = 3.0
    ) -> None:
        self.shown: list[str] = []
        self.reply: ModelReply | None = None
        self.problem: ModelUnavailable | None = None
        self.again = self.patience = False
        with LoopbackServer(handler) as server:
            self.url = f"{server.url}/v1"
            now = time.monotonic()
            exchange = Exchange(
                endpoint=Endpoint(url=self.url, name="m", profile="native", api_key="sk-1"),
                first_by_s=now + first_s,
                deadline_s=now + whole_s,
                stall_s=stall_s,
                cut=Cut(),
            )
            body = request_body(REQUEST, "m", llama_cpp=False)
            self._run(lambda: exchange.run(REQUEST, body, self.shown.append))
            self.took_s = time.monotonic() - now

    def _run(self, run: Callable[[], ModelReply]) -> None:
        try:
            self.reply = run()
        except Retriable as failed:
            self.problem, self.again, self.patience = failed.unavailable, True, failed.patience
        except ModelUnavailable as problem:
            self.problem = problem

    @property
    def said(self) -> str:
        assert self.reply is not None, self.problem
        return self.reply.text

    @property
    def sentence(self) -> str:
        assert self.problem is not None, self.reply
        return self.problem.sentence.replace(self.url, "URL")


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_pieces_of_any_size_cut_characters_and_events_and_change_nothing(size: int) -> None:
    whole = b"\xef\xbb\xbf: hello\r\n\r\n" + GRUESSE.replace(b"\n", b"\r\n") + text(", Robin") + end() + DONE
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    asked = Asked(sends(*pieces, b"", chunked=True))
    assert asked.said == "".join(asked.shown) == "Grüße 😀, Robin"


def test_an_event_of_several_data_lines_is_one() -> None:
    lines = b'event: message\ndata: {"choices": [{"delta":\ndata: {"content": "hello"}}]}\n\n'
    assert Asked(sends(lines, end(), DONE)).said == "hello"


@pytest.mark.parametrize("tail", [end(), end() + DONE, DONE, end()[:-1], end()[:-2], DONE[:-2]])
def test_an_end_may_be_said_in_each_way(tail: bytes) -> None:
    assert Asked(sends(text("hello"), tail)).said == "hello"


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("cut", [0, 1, 9, len(GRUESSE) - 12, len(GRUESSE) - 2, len(GRUESSE)])
def test_a_connection_that_ends_midway_is_said_and_not_tried_again(cut: int, *, chunked: bool) -> None:
    asked = Asked(sends(text("hello "), GRUESSE[:cut] or 0.0, chunked=chunked))
    assert "ended the connection in the middle of its answer; look at its log" in asked.sentence
    assert asked.shown[0] == "hello "
    assert not asked.again
    assert asked.problem is not None
    assert asked.problem.began


@pytest.mark.parametrize("cut", [1, 5, 20, GRUESSE.index("ü".encode()) + 1])
def test_one_that_ends_in_the_first_event_may_be_tried_again(cut: int) -> None:
    asked = Asked(sends(GRUESSE[:cut]))
    assert (
        asked.sentence == "the model's server at URL ended the connection before it answered; look at its log"
    )
    assert asked.again


@pytest.mark.parametrize("tail", [b"", b"data: {nonsense\n\n", b"data: \xff\n\n", b"data: 17\n\n"])
def test_what_comes_behind_the_end_takes_nothing_from_the_answer(tail: bytes) -> None:
    asked = Asked(sends(text("hello"), end() + tail, chunked=True))
    assert asked.said == "hello"


def test_a_server_that_says_the_end_and_stays_is_not_waited_for() -> None:
    asked = Asked(sends(text("hello"), end(), stays=True), whole_s=9.0, stall_s=9.0)
    assert asked.said == "hello"
    assert asked.took_s < 5


def test_the_numbers_behind_the_end_are_waited_for() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    asked = Asked(sends(text("hello"), end(), 0.5, event(usage=usage), DONE), stall_s=0.2)
    assert asked.reply is not None
    assert asked.reply.usage == ModelUsage(prompt=9, completion=2)


@pytest.mark.parametrize(
    ("numbers", "usage"),
    [
        ({}, ModelUsage()),
        ({"usage": None}, ModelUsage()),
        ({"usage": "many"}, ModelUsage()),
        ({"usage": {"prompt_tokens": -5, "completion_tokens": "x"}}, ModelUsage()),
        ({"usage": {"prompt_tokens": 10**30, "completion_tokens": 10**30}}, ModelUsage()),
        ({"usage": {"prompt_tokens": 900_000, "completion_tokens": 1}}, ModelUsage(completion=1)),
        (
            {"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 10}}},
            ModelUsage(prompt=9),
        ),
        ({"usage": {"prompt_tokens": 9, "prompt_tokens_details": []}}, ModelUsage(prompt=9)),
        (
            {"timings": {"cache_n": 7, "prompt_n": 3, "predicted_n": 1}},
            ModelUsage(prompt=10, cached=7, completion=1),
        ),
    ],
)
@pytest.mark.parametrize("apart", [False, True])
def test_wrong_and_missing_numbers_break_no_answer(
    numbers: Mapping[str, Any], usage: ModelUsage, *, apart: bool
) -> None:
    last = event(**numbers, **({} if apart and numbers else {"choices": []}))
    asked = Asked(sends(text("hello"), end(), last, DONE))
    assert asked.said == "hello"
    assert asked.reply is not None
    assert asked.reply.usage == usage


def test_a_pause_between_tokens_is_bounded_and_pings_are_no_tokens() -> None:
    pings = [piece for _ in range(40) for piece in (b": ping\n\n", 0.1)]
    asked = Asked(sends(text("hello"), *pings, text("never"), stays=True), stall_s=0.4)
    assert asked.sentence == (
        "the model's server at URL stood still for 0.4 s in the middle of its answer;"
        " look at its load, or raise [model] stall_s"
    )
    assert asked.took_s < 2
    assert not asked.again


def test_each_token_begins_the_wait_for_the_next_anew() -> None:
    words = [piece for at in range(8) for piece in (text(f"{at}"), 0.15)]
    assert Asked(sends(*words, end()), stall_s=0.5, first_s=0.4).said == "01234567"


def test_pings_do_not_put_off_the_first_token() -> None:
    pings = [piece for _ in range(20) for piece in (b": ping\n\n", 0.05)]
    asked = Asked(sends(*pings, text("late"), end()), first_s=0.3)
    assert "gave no first token in time" in asked.sentence


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("text/html", "text/html"),
        ("text/plain", "text/plain"),
        ("", "no content type"),
        ("application/x-ndjson", "x-ndjson"),
    ],
)
def test_another_kind_of_content_is_named(kind: str, named: str) -> None:
    asked = Asked(sends(b"<html>", kind=kind))
    assert f"{named} in place of an event stream; check [model] url, or look at its log" in asked.sentence


@pytest.mark.parametrize("status", ["200 OK", "500 Broken"])
def test_a_packed_answer_is_not_unpacked(status: str) -> None:
    bomb = gzip.compress(b"0" * 50_000_000)
    asked = Asked(sends(bomb, status=status, headers={"content-encoding": "gzip"}))
    assert asked.sentence.isprintable()
    assert len(asked.sentence) < 200
    assert ("gzip packing that nobody asked for" in asked.sentence) is (status == "200 OK")


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
def test_a_redirect_is_not_followed_and_says_where_it_leads(status: str) -> None:
    asked = Asked(sends(status=status, headers={"location": "http://127.0.0.1:9/v1?key=sk-1"}))
    assert (
        "it sends requests to http://127.0.0.1:9/v1?key=[key]; set [model] url to the address"
        in asked.sentence
    )


@pytest.mark.parametrize(
    "handler", [speaks_no_http, sends(text("hello"), end(), headers={"x-much": "y" * 200_000})]
)
def test_what_is_no_http_or_past_its_bounds_is_said(handler: Handler) -> None:
    asked = Asked(handler)
    assert asked.sentence == "the model's server at URL speaks no HTTP that can be read; check [model] url"
    assert not asked.again


@pytest.mark.parametrize(("words", "patient"), [("Loading model", True), ("overloaded", False)])
def test_a_server_that_loads_is_worth_patience(words: str, *, patient: bool) -> None:
    body = b'{"error": {"message": "%s"}}' % words.encode()
    asked = Asked(sends(body, status="503 No", kind="application/json"))
    assert asked.again
    assert asked.patience is patient
    assert ("still loading its model" in asked.sentence) is patient


def test_a_wish_to_be_left_alone_is_told() -> None:
    asked = Asked(sends(status="429 No", headers={"retry-after": "7", "content-length": "0"}))
    assert asked.problem is not None
    assert (asked.problem.rest_s, asked.problem.fault, asked.again) == (7.0, "slow", True)
    assert (
        "answered 429: it takes no more requests now; try again later; it asks to be left alone for 7 s"
        in asked.sentence
    )
