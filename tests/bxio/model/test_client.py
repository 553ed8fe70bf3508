from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from bxcore.messages.model import Endpoint
from bxcore.model.values import ModelReply, ModelRequest, Profile, UserMessage
from bxio.deadline_http import Cut
from bxio.model.client import ModelClient
from bxio.model.errors import ModelUnavailable
from tests.doubles.model_server import NONSENSE, ModelServer, Step

TOOL = {"description": "d", "name": "clock", "parameters": {"properties": {}, "type": "object"}}
NO_HOSTS = ["http://xn--a/v1", "http://xn--/v1", "http://[::1/v1"]


class Talk:
    """A client of one scripted server, and what it was shown."""

    def __init__(self, server: ModelServer, profile: Profile = "native", **options: Any) -> None:
        endpoint = Endpoint(url=server.url, name="m", profile=profile, api_key="sk-1")
        self.client = ModelClient(endpoint, **{"first_token_s": 0.4, "retry_s": 1.5, **options})
        self.profile = profile
        self.shown: list[str] = []
        self.waits: list[str] = []
        self.cut = Cut()

    def ask(self, *, deadline_s: float = 5.0, uncached: int = 0) -> ModelReply:
        request = ModelRequest(
            profile=self.profile,
            baseline=({"role": "system", "content": "s"},),
            history=(UserMessage(text="hi"),),
            tools=(TOOL,),
            uncached_tokens=uncached,
        )
        return self.client.stream(
            request,
            deadline_s=time.monotonic() + deadline_s,
            cut=self.cut,
            on_text=self.shown.append,
            on_wait=self.waits.append,
        )

    def problem(self, **how: Any) -> str:
        with pytest.raises(ModelUnavailable) as caught:
            self.ask(**how)
        return caught.value.sentence


@pytest.fixture
def serve() -> Iterator[Any]:
    servers: list[ModelServer] = []

    def start(*steps: Step, profile: Profile = "native", **options: Any) -> Talk:
        servers.append(ModelServer(_as_given(steps)).start())
        talk = Talk(servers[-1], profile, **options)
        talk.server = servers[-1]  # type: ignore[attr-defined]
        return talk

    yield start
    for server in servers:
        server.close()


def _as_given(steps: Iterable[Step]) -> list[Step]:
    return list(steps)


@pytest.mark.parametrize("profile", ["native", "json"])
def test_a_reply_is_shown_as_it_comes_and_returned_whole(serve: Any, profile: Profile) -> None:
    talk = serve({"say": 'Grüße, "Robin" 😀', "piece": 4}, profile=profile)
    reply = talk.ask()
    assert "".join(talk.shown) == reply.text == 'Grüße, "Robin" 😀'
    assert len(talk.shown) > 2
    assert reply.usage.prompt > 0


@pytest.mark.parametrize("profile", ["native", "json"])
def test_both_profiles_end_in_the_same_call_and_show_nothing(serve: Any, profile: Profile) -> None:
    talk = serve({"call": ["clock", {"a": "b"}]}, profile=profile)
    reply = talk.ask()
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("clock", '{"a": "b"}')]
    assert (talk.shown, reply.text) == ([], "")


def test_the_server_s_cached_tokens_are_told(serve: Any) -> None:
    talk = serve({"say": "a"}, {"say": "b"})
    assert talk.ask().usage.cached == 0
    assert talk.ask().usage.cached > 0


def test_a_malformed_call_becomes_a_repaired_one(serve: Any) -> None:
    talk = serve({"text": 'Well. <tool_call>{"name": "clock", "arguments": {"a": 1,}}</tool_call>'})
    reply = talk.ask()
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("clock", '{"a": 1}')]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", [17, None, {"a": 1}, ["clock"], True])
def test_a_call_whose_name_is_no_text_is_a_call_of_no_tool(serve: Any, name: Any, *, plain: bool) -> None:
    reply = serve({"calls": [[name, "{}"], ["clock", "{}"]], "plain": plain}).ask()
    assert [call.name for call in reply.tool_calls] == [
        "unnamed" if name is None else json.dumps(name),
        "clock",
    ]


def test_a_server_that_does_not_stream_is_understood(serve: Any) -> None:
    assert serve({"say": "hello", "plain": True}).ask().text == "hello"


def test_reasoning_is_kept_apart(serve: Any) -> None:
    talk = serve({"reasoning": "thinking hard", "say": "hello"})
    reply = talk.ask()
    assert (reply.reasoning, reply.text, "".join(talk.shown)) == ("thinking hard", "hello", "hello")


@pytest.mark.parametrize("kind", sorted(set(NONSENSE) - {"empty"}))
@pytest.mark.parametrize("profile", ["native", "json"])
def test_nonsense_is_one_sentence_that_names_the_server(serve: Any, kind: str, profile: Profile) -> None:
    talk = serve({"nonsense": kind}, profile=profile)
    sentence = talk.problem()
    assert sentence.startswith(f"the model's server at {talk.server.url} answered with ")
    assert "\n" not in sentence
    assert len(talk.server.chats) == 1


def test_an_empty_answer_is_asked_for_again(serve: Any) -> None:
    assert serve({"nonsense": "empty"}, {"say": "hello"}).ask().text == "hello"


@pytest.mark.parametrize("step", [{"status": 500}, {"status": 503}, {"status": 429}, {"hang_up": True}])
def test_a_failure_before_the_first_token_is_tried_again(serve: Any, step: Step) -> None:
    talk = serve(step, {"say": "hello"}, first_token_s=5.0)
    assert talk.ask().text == "hello"
    assert len(talk.server.chats) == 2


LOADING: Step = {"status": 503, "body": '{"error": {"message": "Loading model"}}'}


def test_a_server_that_loads_is_waited_for_and_that_is_said_once(serve: Any) -> None:
    talk = serve(LOADING, LOADING, LOADING, {"say": "hello"}, first_token_s=5.0, retry_s=0.1)
    assert talk.ask().text == "hello"
    assert talk.waits == [f"the model's server at {talk.server.url} is loading its model; waiting for it"]


def test_one_that_loads_for_longer_than_a_first_token_may_take_is_said(serve: Any) -> None:
    talk = serve(*[LOADING] * 20, first_token_s=0.6)
    assert "it is still loading its model; try again in a moment" in talk.problem()


def test_a_server_that_names_a_time_is_left_alone_for_it(serve: Any) -> None:
    busy: Step = {"status": 429, "retry_after": "1"}
    talk = serve(busy, {"say": "hello"}, first_token_s=5.0, retry_s=0.1)
    began = time.monotonic()
    assert talk.ask().text == "hello"
    assert time.monotonic() - began >= 1.0
    assert talk.waits == [
        f"the model's server at {talk.server.url} takes no requests for 1 s; waiting for it"
    ]


def test_a_longer_time_than_there_is_ends_the_request_at_once(serve: Any) -> None:
    talk = serve({"status": 429, "retry_after": "300"}, first_token_s=5.0)
    assert "it asks to be left alone for 300 s" in talk.problem()
    assert talk.waits == []
    assert len(talk.server.chats) == 1


def test_a_prefill_that_broke_late_is_not_begun_anew(serve: Any) -> None:
    talk = serve({"wait_s": 0.5, "hang_up": True}, {"say": "never"}, first_token_s=9.0, retry_s=0.4)
    assert "ended the connection before it answered" in talk.problem()
    assert len(talk.server.chats) == 1


def test_an_answer_after_a_long_wait_has_the_whole_time_for_its_first_token(serve: Any) -> None:
    talk = serve(LOADING, LOADING, {"wait_s": 0.5, "say": "hello"}, first_token_s=0.8)
    assert talk.ask().text == "hello"


def test_pauses_grow_and_are_spread(serve: Any) -> None:
    talk = serve(*[{"status": 500}] * 9, first_token_s=9.0, retry_s=1.0, chance=lambda: 0.0)
    began = time.monotonic()
    talk.problem()
    assert time.monotonic() - began < 1.0  # rests of 0.125, 0.25 and 0.5 s; the next would end too late
    assert len(talk.server.chats) in {3, 4}


def test_trying_again_ends_with_the_last_failure(serve: Any) -> None:
    talk = serve(*[{"status": 500, "body": '{"error": {"message": "no memory"}}'}] * 9, retry_s=0.5)
    assert 'answered 500: look at its log ("no memory")' in talk.problem()
    assert 1 < len(talk.server.chats) < 4


def test_nothing_is_tried_again_after_a_token_was_shown(serve: Any) -> None:
    talk = serve({"say": "hello there everybody", "cut_after": 2}, {"say": "never"})
    assert "in the middle of its answer" in talk.problem()
    assert talk.shown == ["hello th"]
    assert len(talk.server.chats) == 1


def test_a_late_first_token_is_not_tried_again(serve: Any) -> None:
    talk = serve({"silence_s": 9}, {"say": "never"})
    began = time.monotonic()
    assert "gave no first token in time" in talk.problem()
    assert time.monotonic() - began < 2
    assert len(talk.server.chats) == 1


def test_the_first_token_may_take_longer_for_a_long_prompt(serve: Any) -> None:
    step = {"wait_s": 0.8, "say": "hello"}
    assert "no first token" in serve(step).problem(uncached=0)
    assert serve(step).ask(uncached=200).text == "hello"


def test_after_the_first_token_the_answer_has_its_own_deadline(serve: Any) -> None:
    step = {"say": "a long answer in small pieces", "piece": 4, "drip_s": 0.15}
    assert serve(step).ask().text == "a long answer in small pieces"
    assert "did not finish its answer in time" in serve(step).problem(deadline_s=0.6)


@pytest.mark.parametrize(
    ("status", "advice"),
    [(401, "api_key_file"), (403, "api_key_file"), (404, "ends in /v1"), (400, "look at its log")],
)
def test_a_refusal_is_not_tried_again_and_says_what_to_do(serve: Any, status: int, advice: str) -> None:
    talk = serve({"status": status, "body": '{"error": "the key sk-1 is unknown"}'})
    sentence = talk.problem()
    assert f"answered {status}: " in sentence
    assert advice in sentence
    assert len(talk.server.chats) == 1
    assert "sk-1" not in sentence


SECRET = "sk-proj-" + "A1b2C3d4" * 6


@pytest.mark.parametrize(
    "step",
    [
        {"status": 401, "body": json.dumps({"error": {"message": f"Incorrect API key: {SECRET}\x1b[2J"}})},
        {"status": 400, "body": f"\x1b[2Jbad {SECRET}"},
        {"nonsense": "error_with_key"},
    ],
)
def test_a_secret_in_a_server_s_words_is_not_quoted(serve: Any, step: Step) -> None:
    sentence = serve(step).problem()
    assert "[secret-sk]" in sentence
    assert SECRET[:12] not in sentence
    assert sentence.isprintable()


def test_a_prompt_over_the_context_says_so(serve: Any) -> None:
    body = '{"error": {"message": "the request exceeds the available context size"}}'
    assert "too long for the model's context" in serve({"status": 400, "body": body}).problem()


def test_an_error_page_is_not_quoted(serve: Any) -> None:
    assert "<" not in serve({"status": 404, "body": "<html>not here</html>"}).problem()


def test_the_key_is_sent_and_llama_cpp_s_own_fields_are_not(serve: Any) -> None:
    talk = serve({"say": "hello"})
    talk.ask()
    assert talk.server.seen[0].headers["authorization"] == "Bearer sk-1"
    assert "cache_prompt" not in talk.server.chats[0]


def test_a_server_that_is_not_there_is_one_sentence() -> None:
    with ModelServer() as server:
        pass
    talk = Talk(server, retry_s=0.3)
    assert "cannot be reached (connection refused); start it" in talk.problem()


def test_a_wrong_scheme_is_one_sentence() -> None:
    endpoint = Endpoint(url="ftp://127.0.0.1/v1", name="m", profile="native")
    client = ModelClient(endpoint)
    request = ModelRequest(profile="native", baseline=(), history=())
    with pytest.raises(ModelUnavailable, match="no http or https address"):
        client.stream(request, deadline_s=time.monotonic() + 2, cut=Cut(), on_text=print)


@pytest.mark.parametrize("url", NO_HOSTS)
def test_a_host_that_cannot_be_is_one_sentence(url: str) -> None:
    client = ModelClient(Endpoint(url=url, name="m", profile="native"))
    request = ModelRequest(profile="native", baseline=(), history=())
    with pytest.raises(ModelUnavailable) as caught:
        client.stream(request, deadline_s=time.monotonic() + 2, cut=Cut(), on_text=print)
    assert caught.value.sentence == f"{url} holds no host that can be asked; check [model] url"


@pytest.mark.parametrize(
    "step", [{"silence_s": 9}, {"say": "one two three four", "drip_s": 0.5}, {"status": 500}]
)
def test_a_cut_ends_the_call_at_once(serve: Any, step: Step) -> None:
    talk = serve(*[step] * 20, first_token_s=9, retry_s=9)
    timer = threading.Timer(0.4, talk.cut.cut)
    timer.start()
    began = time.monotonic()
    sentence = talk.problem(deadline_s=20)
    timer.join(timeout=5)
    assert time.monotonic() - began < 1.4
    assert "stopped" in sentence or step == {"status": 500}


def test_a_cut_ends_the_rest_before_the_next_attempt(serve: Any) -> None:
    talk = serve(*[LOADING] * 20, first_token_s=9, chance=lambda: 0.999)
    timer = threading.Timer(1.0, talk.cut.cut)  # the third rest is from 0.75 to 1.75 s
    timer.start()
    began = time.monotonic()
    talk.problem(deadline_s=20)
    timer.join(timeout=5)
    assert time.monotonic() - began < 1.5


def test_tokens_are_counted_only_by_a_server_that_can() -> None:
    with ModelServer(tokenizer=True) as server:
        plain = Endpoint(url=server.url, name="m", profile="native")
        assert ModelClient(plain).count_tokens("a b c") is None
        llama = Endpoint(url=server.url, name="m", profile="native", llama_cpp=True)
        assert ModelClient(llama).count_tokens("a b c") == 3
    assert ModelClient(llama).count_tokens("a b c") is None
