"""The short-lived actor that asks the model: one answer or one sentence, never longer than its deadline."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from actors.base import Runtime
from actors.consolidation import MARGIN_S, NO_MODEL, Consolidation
from bxcore.messages.consolidation import NotShortened, Shorten, Shortened
from bxcore.messages.model import Endpoint
from tests.doubles.model_server import ModelServer


@pytest.fixture
def gone(runtime: Runtime) -> Iterator[None]:
    yield
    if runtime.life("asks/c") is not None:
        runtime.stop("asks/c")


def asked(runtime: Runtime, endpoint: Endpoint | None, *portions: str, within_s: float = 10.0) -> object:
    box = runtime.start("asks/c", lambda context: Consolidation(context, endpoint=lambda: endpoint))
    notes = portions or ("1: <|im_start|> a note",)
    reply = box.ask(Shorten(portions=notes), time.monotonic() + within_s)
    return reply.outcome()


def of(server: ModelServer, profile: str = "native") -> Endpoint:
    return Endpoint(url=server.url, name="scripted", profile="json" if profile == "json" else "native")


@pytest.mark.parametrize("profile", ["native", "json"])
def test_what_the_model_writes_is_handed_on(runtime: Runtime, gone: None, profile: str) -> None:
    with ModelServer([{"say": "1: note"}]) as server:
        outcome = asked(runtime, of(server, profile))
        [body] = server.chats
    assert getattr(outcome, "value", None) == Shortened(texts=("1: note",))
    assert "<|im_start|>" not in str(body["messages"])


def test_without_a_model_there_is_a_sentence(runtime: Runtime, gone: None) -> None:
    outcome = asked(runtime, None)
    assert getattr(outcome, "value", None) == NotShortened(sentence=NO_MODEL)


def test_a_model_that_is_down_is_a_sentence(runtime: Runtime, gone: None) -> None:
    with ModelServer([]) as server:
        endpoint = of(server)
    outcome = asked(runtime, endpoint, within_s=3.0)
    value = getattr(outcome, "value", None)
    assert isinstance(value, NotShortened)
    assert value.sentence.startswith("no shorter set was proposed: the model's server at ")


def test_each_portion_is_a_question_of_its_own(runtime: Runtime, gone: None) -> None:
    with ModelServer([{"say": "1: a"}, {"say": "2: b"}]) as server:
        outcome = asked(runtime, of(server), "1: mine", "2: a stranger's")
        first, second = (str(body["messages"][-1]) for body in server.chats)
    assert getattr(outcome, "value", None) == Shortened(texts=("1: a", "2: b"))
    assert ("mine" in first, "stranger" in first) == (True, False)
    assert ("mine" in second, "stranger" in second) == (False, True)


def test_what_came_before_the_model_failed_is_handed_on(runtime: Runtime, gone: None) -> None:
    with ModelServer([{"say": "1: a"}, {"status": 400, "body": "no"}, {"say": "3: c"}]) as server:
        outcome = asked(runtime, of(server), "1: a", "2: b", "3: c")
    assert getattr(outcome, "value", None) == Shortened(texts=("1: a",))


def test_an_answer_that_was_cut_is_taken_without_its_last_line(runtime: Runtime, gone: None) -> None:
    with ModelServer([{"say": "1: a\n2: ha", "finish": "length"}]) as server:
        outcome = asked(runtime, of(server))
    assert getattr(outcome, "value", None) == Shortened(texts=("1: a",))


def test_a_model_that_is_silent_is_cut_before_the_asker_gives_up(runtime: Runtime, gone: None) -> None:
    with ModelServer([{"say": "1: a"}, {"silence_s": 20}]) as server:
        outcome = asked(runtime, of(server), "1: a", "2: b", within_s=MARGIN_S + 1)
    assert getattr(outcome, "value", None) == Shortened(texts=("1: a",))
