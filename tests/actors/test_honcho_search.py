from __future__ import annotations

import json
import time

import pytest

from actors.base import Answer, Late, Outcome, Runtime, Why
from actors.honcho_search import HonchoSearch
from bxcore.messages.honcho_search import Found, FoundMessage, Search, SearchUnavailable
from bxio.honcho import HonchoServer
from tests.doubles import bad_manners
from tests.doubles.bad_manners import answers
from tests.doubles.honcho_asks import Asks
from tests.doubles.loopback import Handler, LoopbackServer
from tests.kit.leaks import Letters

LONG_S = 20.0
SAID = "the saffron is in the blue tin"


@pytest.fixture
def asks(runtime: Runtime) -> Asks:
    return Asks.begun(runtime, HonchoSearch)


def message(number: int = 1, content: str = SAID, **metadata: object) -> dict[str, object]:
    return {
        "id": f"m{number}",
        "content": content,
        "peer_id": "ann",
        "session_id": "s",
        "workspace_id": "w",
        "created_at": "2026-05-02T10:00:00Z",
        "metadata": metadata,
        "token_count": 9,
        "score": 0.5,
    }


def outcome(asks: Asks, handler: Handler, search: Search) -> tuple[Outcome, list[bytes]]:
    with LoopbackServer(handler) as server:
        deadline_s = time.monotonic() + LONG_S
        return asks.ask(HonchoServer(url=server.url), search, deadline_s).outcome(deadline_s), server.requests


def test_a_search_asks_for_the_words_without_the_mark_at_their_end(asks: Asks) -> None:
    _, requests = outcome(asks, answers(200, []), Search(query="where is the saffron?", limit=7))
    head, _, body = requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v3/workspaces/w/search HTTP/1.1")
    assert json.loads(body) == {"query": "where is the saffron", "limit": 7}
    assert asks.all_ended()


def test_what_was_found_is_replied_in_its_order_with_whose_and_when_it_is(asks: Asks) -> None:
    sent = [message(1, session="k3f", turn=4), message(2, "salt")]
    found, _ = outcome(asks, answers(200, sent), Search(query="saffron"))
    at = "2026-05-02T10:00:00Z"
    assert found == Answer(
        Found(
            messages=(
                FoundMessage(peer="ann", content=SAID, at=at, metadata={"session": "k3f", "turn": 4}),
                FoundMessage(peer="ann", content="salt", at=at, metadata={}),
            )
        )
    )


def test_nothing_found_is_an_answer(asks: Asks) -> None:
    assert outcome(asks, answers(200, []), Search(query="x"))[0] == Answer(Found(messages=()))


def test_a_server_that_sends_more_than_was_asked_for_is_cut_short(asks: Asks) -> None:
    found, _ = outcome(
        asks, answers(200, [message(number) for number in range(50)]), Search(query="x", limit=3)
    )
    assert isinstance(found, Answer)
    assert len(found.value.messages) == 3


def test_a_long_message_is_cut_short(asks: Asks) -> None:
    found, _ = outcome(asks, answers(200, [message(content="a" * 25_000)]), Search(query="x"))
    assert isinstance(found, Answer)
    assert len(found.value.messages[0].content) == 2_000


@pytest.mark.parametrize(("limit", "sent"), [(0, 1), (-4, 1), (100, 100), (1_000, 100)])
def test_the_limit_is_one_that_honcho_takes(asks: Asks, limit: int, sent: int) -> None:
    _, requests = outcome(asks, answers(200, []), Search(query="x", limit=limit))
    assert json.loads(requests[0].partition(b"\r\n\r\n")[2])["limit"] == sent


@pytest.mark.parametrize(
    ("handler", "line"),
    [
        (answers(401, {"detail": "Invalid JWT"}), "401, the token was refused"),
        (answers(500, {"detail": SAID}), "500, the server failed"),
        (answers(200, {"detail": SAID}), "the answer has the wrong shape"),
        (bad_manners.resets, "the connection was reset"),
    ],
)
def test_a_failure_is_replied_by_its_kind_and_the_actor_ends(asks: Asks, handler: Handler, line: str) -> None:
    assert outcome(asks, handler, Search(query="x"))[0] == Answer(SearchUnavailable(error=line))
    assert asks.all_ended()


def test_a_search_that_is_late_is_a_dead_letter_without_its_text(asks: Asks, letters: Letters) -> None:
    with LoopbackServer(bad_manners.drips_a_body) as server:
        deadline_s = time.monotonic() + 0.1
        reply = asks.ask(HonchoServer(url=server.url), Search(query=SAID), deadline_s)
        assert reply.outcome(deadline_s) == Late()
        assert asks.all_ended()
        assert time.monotonic() - deadline_s < 1.0
        assert server.wait_idle()
    letter = letters.expect("asks/0-own", Why.LATE)
    assert letter.type_name == "SearchUnavailable"
    assert SAID not in repr(letter)
