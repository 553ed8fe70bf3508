"""Several servers in one turn: the next is asked in place of one that fails, and never after a token."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bxcore.messages.loop import Notice, TurnEvent
from bxcore.messages.model import Endpoint
from bxcore.model.values import ModelRequest, Profile
from bxcore.records import CacheLoss, User
from bxcore.turn import STOPPED, End, Held, Turn, begin
from bxio.brake import Brake
from bxio.model import ModelClient, ModelUnavailable
from bxio.session_store import OpenSession, SessionStore
from bxio.turn_runner import TurnRunner
from tests.doubles.model_server import ModelServer, Step

CALL: Step = {"call": ["recall", {"query": "x"}]}
BROKEN: Step = {"status": 401}
LOADING: Step = {"status": 503, "body": "Loading model"}


@pytest.fixture
def log(tmp_path: Path) -> Iterator[OpenSession]:
    opened = SessionStore(tmp_path / "sessions").open("k3f")
    yield opened
    opened.close()


class Servers:
    """A script a server, and a turn that is run with them; ``profiles`` are the servers' own."""

    def __init__(self, log: OpenSession, *scripts: list[Step], profiles: tuple[Profile, ...] = ()) -> None:
        self.servers = [ModelServer(script).start() for script in scripts]
        self.profiles: tuple[Profile, ...] = profiles or ("native", "native")
        self.asked: list[tuple[int | None, tuple[int, ...]]] = []
        self.failed: list[tuple[int, str]] = []
        self.events: list[TurnEvent] = []
        self.requests: list[ModelRequest] = []
        self.brake = Brake()
        self.plan: dict[str, int] = {}
        self._log = log

    def client(self, using: int | None, without: tuple[int, ...]) -> ModelClient:
        self.asked.append((using, without))
        places = [at for at in range(len(self.servers)) if at not in without]
        if not places:
            raise ModelUnavailable("none of them answers")
        place = using if using in places and using is not None else places[0]
        url, profile = self.servers[place].url, self.profiles[place]
        endpoint = Endpoint(url=url, name="m", profile=profile, place=place, probed=1)
        endpoint = replace(endpoint, **self.plan)  # type: ignore[arg-type]
        return ModelClient(endpoint, first_token_s=5.0, retry_s=0.1)

    def run(self, held: Held | None = None) -> tuple[Turn, End]:
        runner = TurnRunner(
            log=self._log,
            client=self.client,
            brake=self.brake,
            request=self._request,
            tools=lambda _calls, _together: iter(()),
            show=self.events.append,
            now=time.monotonic,
            answer_s=10.0,
            failed=lambda endpoint, problem: self.failed.append((endpoint.place, problem.sentence)),
        )
        return runner.run(Turn(number=1, held=held), begin(User(text="hi")))

    def _request(self) -> ModelRequest:
        return ModelRequest(profile="native", baseline=(), history=(), uncached_tokens=1)

    def notices(self) -> list[str]:
        text = [event.text for event in self.events if isinstance(event, Notice)]
        for place, server in enumerate(self.servers):
            text = [line.replace(server.url, f"URL{place}") for line in text]
        return text


@pytest.fixture
def servers(log: OpenSession) -> Iterator[Callable[..., Servers]]:
    made: list[Servers] = []

    def make(*scripts: list[Step], **more: tuple[Profile, ...]) -> Servers:
        made.append(Servers(log, *scripts, **more))
        return made[-1]

    yield make
    for each in made:
        for server in each.servers:
            server.close()


def test_the_next_is_asked_in_place_of_one_that_fails_and_the_person_is_told(
    servers: Callable[..., Servers],
) -> None:
    both = servers([BROKEN], [{"say": "hello"}])
    turn, end = both.run()
    assert end == End(reply="hello")
    assert [place for place, _ in both.failed] == [0]
    assert both.asked == [(None, ()), (None, (0,))]
    (line,) = both.notices()
    assert line.startswith(
        "the model's server at URL0 answered 401: it refused the key; check [model] api_key_file"
    )
    assert line.endswith("; the model's server at URL1 is asked instead")
    assert turn.held is not None
    assert turn.held.server == f"1.1 {both.servers[1].url}"


def test_when_all_fail_the_turn_ends_with_the_sentence_of_who_knows_them_all(
    servers: Callable[..., Servers],
) -> None:
    both = servers([BROKEN], [BROKEN])
    _, end = both.run()
    assert end == End(failed="none of them answers")
    assert [place for place, _ in both.failed] == [0, 1]


def test_nobody_else_is_asked_after_a_token(servers: Callable[..., Servers]) -> None:
    both = servers([{"say": "hello there everybody", "cut_after": 2}], [{"say": "never"}])
    _, end = both.run()
    assert end.failed is not None
    assert "in the middle of its answer" in end.failed
    assert [place for place, _ in both.failed] == [0]
    assert both.servers[1].seen == []


def test_a_request_that_is_at_fault_itself_is_not_put_to_another(servers: Callable[..., Servers]) -> None:
    both = servers([{"status": 400, "body": "too much context"}], [{"say": "never"}])
    _, end = both.run()
    assert end.failed is not None
    assert "too long for the model's context" in end.failed
    assert both.failed == []
    assert both.servers[1].seen == []


def test_a_stop_asks_nobody_else(servers: Callable[..., Servers]) -> None:
    both = servers([{"silence_s": 9}], [{"say": "never"}])

    def stopping(_body: object) -> Step:
        both.brake.pull()
        return {"silence_s": 9}

    both.servers[0]._choose = stopping
    _, end = both.run()
    assert end == End(failed=STOPPED)
    assert (both.failed, both.servers[1].seen) == ([], [])


def test_a_server_that_wants_to_be_waited_for_says_so(servers: Callable[..., Servers]) -> None:
    one = servers([LOADING, {"say": "hello"}])
    _, end = one.run()
    assert end == End(reply="hello")
    assert one.notices() == ["the model's server at URL0 is loading its model; waiting for it"]


def test_a_session_keeps_its_profile_with_a_server_of_another_and_that_is_said(
    servers: Callable[..., Servers],
) -> None:
    one = servers([{"say": "hello"}], profiles=("json",))
    turn, end = one.run()
    assert end == End(reply="hello")
    assert "response_format" not in one.servers[0].chats[0]
    (line,) = one.notices()
    assert line == (
        "this session was begun in the native profile, and the model's server at URL0 takes json better;"
        " a new session would use it"
    )
    one.events.clear()
    one.servers[0]._choose = lambda _body: {"say": "again"}
    one.run(turn.held)
    assert one.notices() == []


def losses(log: OpenSession) -> list[CacheLoss]:
    return [record for record in log.records if isinstance(record, CacheLoss)]


def test_another_server_has_lost_nothing_and_has_all_to_read(
    servers: Callable[..., Servers], log: OpenSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = {"prompt_tokens": 50, "prompt_tokens_details": {"cached_tokens": 0}}
    one = servers([{"say": "hello", "usage": usage}, {"say": "hello", "usage": usage}])
    uncached: list[int | None] = []
    stream = ModelClient.stream

    def noting(self: ModelClient, request: ModelRequest, **how: object) -> object:
        uncached.append(request.uncached_tokens)
        return stream(self, request, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(ModelClient, "stream", noting)
    turn, _ = one.run(Held(tokens=900, server="0.9 elsewhere"))
    assert [record for record in log.records if isinstance(record, CacheLoss)] == []
    one.run(turn.held)
    assert [record for record in log.records if isinstance(record, CacheLoss)] == [
        CacheLoss(had=50, cached=0)
    ]
    assert uncached == [None, 1]


@pytest.mark.parametrize(("context", "most"), [(16_384, 3000), (4096, 2048)])
def test_an_answer_has_the_owner_s_bound_and_never_more_than_half_of_the_context(
    servers: Callable[..., Servers], context: int, most: int
) -> None:
    one = servers([{"say": "hello"}])
    one.plan = {"answer_tokens": 3000, "context_tokens": context}
    one.run()
    assert one.servers[0].chats[0]["max_tokens"] == most
