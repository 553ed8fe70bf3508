from __future__ import annotations

import time

import pytest

from actors.base import Answer, Outcome, Runtime
from actors.honcho_chat import HonchoChat
from bxcore.messages.honcho_chat import Chat, ChatAnswered, ChatUnavailable
from bxio.honcho import HonchoServer
from tests.doubles.bad_manners import answers
from tests.doubles.honcho_asks import Asks
from tests.doubles.loopback import Handler, LoopbackServer

LONG_S = 20.0
QUESTION = "where is the marmalade"


@pytest.fixture
def asks(runtime: Runtime) -> Asks:
    return Asks.begun(runtime, HonchoChat)


def outcome(asks: Asks, handler: Handler) -> Outcome:
    with LoopbackServer(handler) as server:
        deadline_s = time.monotonic() + LONG_S
        return asks.ask(HonchoServer(url=server.url), Chat(question=QUESTION), deadline_s).outcome(deadline_s)


def test_an_answer_is_replied_and_the_actor_ends(asks: Asks) -> None:
    assert outcome(asks, answers(200, {"content": "in the larder"})) == Answer(
        ChatAnswered(text="in the larder")
    )
    assert asks.all_ended()


def test_an_empty_answer_is_an_answer(asks: Asks) -> None:
    assert outcome(asks, answers(200, {"content": None})) == Answer(ChatAnswered(text=None))


def test_a_failure_is_replied_by_its_kind_and_the_actor_ends(asks: Asks) -> None:
    assert outcome(asks, answers(500, {"detail": QUESTION})) == Answer(
        ChatUnavailable(error="500, the server failed")
    )
    assert asks.all_ended()
