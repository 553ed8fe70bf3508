"""Whether a server is there, and what it lists: asked before anything is asked of it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from bxcore.messages.model import Endpoint
from bxio.deadline_http import Cut
from bxio.model import listed as module
from bxio.model.errors import ModelUnavailable
from bxio.model.exchange import Retriable
from bxio.model.listed import Listed, listed
from tests.doubles.bad_manners import answers, hangs_up, silent, speaks_no_http
from tests.doubles.loopback import Handler, LoopbackServer


def ask(handler: Handler, name: str = "") -> Listed:
    with LoopbackServer(handler) as server:
        return listed(Endpoint(url=f"{server.url}/v1", name=name, profile="native"), cut=Cut())


def problem(handler: Handler) -> ModelUnavailable:
    with pytest.raises((ModelUnavailable, Retriable)) as caught:
        ask(handler)
    raised = caught.value
    if isinstance(raised, Retriable):
        return raised.unavailable
    assert isinstance(raised, ModelUnavailable)
    return raised


def test_the_first_is_taken_or_the_one_that_is_configured() -> None:
    data = [{"id": "a", "max_model_len": 1000}, {"id": "b", "max_model_len": 2000}]
    assert ask(answers(200, {"data": data})) == Listed(name="a", context_tokens=1000)
    assert ask(answers(200, {"data": data}), "b") == Listed(name="b", context_tokens=2000)
    assert ask(answers(200, {"data": data}), "c") == Listed()


ODD: list[Any] = [None, 17, [], {}, {"data": 3}, {"data": [3]}, {"data": [{"id": 5, "max_model_len": True}]}]


@pytest.mark.parametrize("value", [*ODD, b"<html>", b"\xff"])
@pytest.mark.parametrize("status", [200, 404, 405, 501])
def test_a_server_that_does_not_know_the_question_is_there_all_the_same(status: int, value: Any) -> None:
    assert ask(answers(status, value)) == Listed()


@pytest.mark.parametrize(
    ("handler", "said", "fault"),
    [
        (answers(401, {}), "answered 401: it refused the key; check [model] api_key_file", "gone"),
        (answers(502, b""), "the proxy before it got no answer", "gone"),
        (answers(503, {"error": {"message": "Loading model"}}), "still loading its model", "slow"),
        (hangs_up, "ended the connection before it answered", "gone"),
        (speaks_no_http, "speaks no HTTP that can be read", "gone"),
    ],
)
def test_one_that_is_not_well_says_why(handler: Handler, said: str, fault: str) -> None:
    found = problem(handler)
    assert said in found.sentence
    assert found.fault == fault


def test_a_silent_one_is_not_waited_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.3)
    began = time.monotonic()
    found = problem(silent)
    assert "gave no answer within 0.3 s; look at its load, or check [model] url" in found.sentence
    assert found.fault == "slow"
    assert time.monotonic() - began < 3
