from __future__ import annotations

import time
from typing import Any

import pytest

from bxcore.messages.model import Endpoint
from bxcore.model.request_body import request_body
from bxcore.model.values import ModelReply, ModelRequest, UserMessage
from bxio.deadline_http import Cut
from bxio.model.errors import ModelUnavailable
from bxio.model.exchange import Exchange, Retriable
from tests.doubles.model_server import ModelServer, Step

REQUEST = ModelRequest(profile="native", baseline=(), history=(UserMessage(text="hi"),))


def run(step: Step, **waits: float) -> ModelReply:
    with ModelServer([step]) as server:
        now = time.monotonic()
        exchange = Exchange(
            endpoint=Endpoint(url=server.url, name="m", profile="native"),
            first_by_s=now + waits.get("first_s", 3.0),
            deadline_s=now + waits.get("whole_s", 5.0),
            cut=Cut(),
        )
        body: dict[str, Any] = request_body(REQUEST, "m", llama_cpp=False)
        return exchange.run(REQUEST, body, lambda _text: None)


def test_an_answer_may_end_long_after_its_first_token_was_due() -> None:
    step = {"say": "a long answer in small pieces", "piece": 4, "drip_s": 0.1}
    assert run(step, first_s=0.4).text == "a long answer in small pieces"


def test_what_a_later_attempt_may_mend_is_told_apart() -> None:
    retried: list[Step] = [{"status": 503}, {"hang_up": True}]
    final: list[Step] = [{"status": 401}, {"nonsense": "html"}, {"say": "hello there", "cut_after": 2}]
    for step in retried:
        with pytest.raises(Retriable):
            run(step)
    for step in final:
        with pytest.raises(ModelUnavailable):
            run(step)
    with pytest.raises(ModelUnavailable):
        run({"silence_s": 9}, first_s=0.2)


def test_an_endless_whole_answer_is_not_read_to_its_end() -> None:
    with pytest.raises(ModelUnavailable, match="over 4194304 bytes"):
        run({"text": "x" * (5 << 20), "plain": True})
