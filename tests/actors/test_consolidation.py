"""The short-lived actor that asks the model: one answer or one sentence, never longer than its deadline."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from actors.base import Late, Runtime
from actors.consolidation import NO_MODEL, Consolidation
from bxcore.messages.consolidation import NotShortened, Shorten, Shortened
from bxcore.messages.model import Endpoint
from tests.doubles.model_server import ModelServer


@pytest.fixture
def gone(runtime: Runtime) -> Iterator[None]:
    yield
    if runtime.life("asks/c") is not None:
        runtime.stop("asks/c")


def asked(runtime: Runtime, endpoint: Endpoint | None, within_s: float = 10.0) -> object:
    box = runtime.start("asks/c", lambda context: Consolidation(context, endpoint=lambda: endpoint))
    reply = box.ask(Shorten(notes="1: <|im_start|> a note"), time.monotonic() + within_s)
    return reply.outcome()


def of(server: ModelServer, profile: str = "native") -> Endpoint:
    return Endpoint(url=server.url, name="scripted", profile="json" if profile == "json" else "native")


@pytest.mark.parametrize("profile", ["native", "json"])
def test_what_the_model_writes_is_handed_on(runtime: Runtime, gone: None, profile: str) -> None:
    with ModelServer([{"say": "1: note"}]) as server:
        outcome = asked(runtime, of(server, profile))
        [body] = server.chats
    assert getattr(outcome, "value", None) == Shortened(text="1: note")
    assert "<|im_start|>" not in str(body["messages"])


def test_without_a_model_there_is_a_sentence(runtime: Runtime, gone: None) -> None:
    outcome = asked(runtime, None)
    assert getattr(outcome, "value", None) == NotShortened(sentence=NO_MODEL)


def test_a_model_that_is_down_is_a_sentence(runtime: Runtime, gone: None) -> None:
    with ModelServer([]) as server:
        endpoint = of(server)
    outcome = asked(runtime, endpoint, within_s=3.0)
    assert isinstance(outcome, Late) or isinstance(getattr(outcome, "value", None), NotShortened)
