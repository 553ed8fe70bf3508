from __future__ import annotations

import pytest

from bxcore.messages.model import Endpoint
from bxio.deadline_http import Cut
from bxio.model import probe
from bxio.model.errors import ModelUnavailable
from bxio.model.probe import describe, probe_profile
from tests.doubles import bad_manners
from tests.doubles.loopback import LoopbackServer
from tests.doubles.model_server import NONSENSE, ModelServer, Step

CLOCK: Step = {"call": ["clock", {}]}


def endpoint(server: ModelServer, name: str = "m") -> Endpoint:
    return Endpoint(url=server.url, name=name, profile="native")


@pytest.mark.parametrize(
    ("step", "profile"),
    [
        (CLOCK, "native"),
        ({"reasoning": "which tool", **CLOCK}, "native"),
        ({"say": "It is four."}, "json"),
        ({"text": '<tool_call>{"name": "clock", "arguments": {}}</tool_call>'}, "json"),
        ({"status": 400, "body": '{"error": {"message": "tools need --jinja"}}'}, "json"),
        ({"status": 501}, "json"),
    ],
)
def test_a_structured_call_means_native_and_anything_else_json(step: Step, profile: str) -> None:
    with ModelServer([step]) as server:
        assert probe_profile(endpoint(server), cut=Cut()) == profile
        assert len(server.chats) == 1


def test_a_server_that_keeps_failing_on_tools_is_json() -> None:
    with ModelServer([{"status": 500}] * 9) as server:
        assert probe_profile(endpoint(server), cut=Cut()) == "json"


@pytest.mark.parametrize("step", [{"status": 401}, {"nonsense": "html"}])
def test_a_server_that_gives_no_answer_is_no_profile(step: Step) -> None:
    with ModelServer([step]) as server, pytest.raises(ModelUnavailable):
        probe_profile(endpoint(server), cut=Cut())


def test_what_is_configured_stands_and_the_rest_is_asked() -> None:
    with ModelServer([CLOCK], context_tokens=16_384) as server:
        found = describe(endpoint(server, ""), profile="auto", configured_context=None, cut=Cut())
        assert (found.name, found.profile, found.context_tokens, found.llama_cpp) == (
            "scripted",
            "native",
            16_384,
            True,
        )
        found = describe(endpoint(server), profile="json", configured_context=5000, cut=Cut())
        assert (found.name, found.profile, found.context_tokens) == ("m", "json", 5000)
        assert len(server.chats) == 1


def test_a_server_without_llama_cpp_s_pages_is_taken_as_it_is() -> None:
    with ModelServer() as server:
        found = describe(endpoint(server), profile="native", configured_context=None, cut=Cut())
        assert not found.llama_cpp
        assert found.context_tokens == endpoint(server).context_tokens


LISTED = bad_manners.answers(200, {"data": [{"id": "vllm", "max_model_len": 12_000}]})


def test_the_context_that_a_server_lists_is_taken_where_it_has_no_properties() -> None:
    with LoopbackServer(bad_manners.in_turn([LISTED, bad_manners.answers(404, {})])) as server:
        plan = Endpoint(url=f"{server.url}/v1", name="", profile="native")
        found = describe(plan, profile="native", configured_context=None, cut=Cut())
    assert (found.name, found.context_tokens, found.llama_cpp) == ("vllm", 12_000, False)


def test_a_server_that_goes_on_loading_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "LOADING_S", 0.3)
    monkeypatch.setattr(probe, "LOADING_LOOK_S", 0.05)
    waits: list[str] = []
    loading = bad_manners.answers(503, {"error": {"message": "Loading model"}})
    with LoopbackServer(loading) as server:
        plan = Endpoint(url=f"{server.url}/v1", name="", profile="native")
        with pytest.raises(ModelUnavailable, match="still loading its model; try again in a moment"):
            describe(plan, profile="native", configured_context=None, cut=Cut(), on_wait=waits.append)
    assert len(waits) == 1


@pytest.mark.parametrize("kind", sorted(set(NONSENSE) - {"empty"}))
def test_nonsense_in_place_of_a_call_is_no_profile_and_one_sentence(kind: str) -> None:
    with ModelServer([{"nonsense": kind}]) as server, pytest.raises(ModelUnavailable) as caught:
        describe(endpoint(server), profile="auto", configured_context=None, cut=Cut())
    assert "answered with " in caught.value.sentence
    assert caught.value.fault == "gone"


@pytest.mark.parametrize(
    ("step", "profile"),
    [
        ({"call": [["clock", {}], ["clock", {}]]}, "native"),
        ({"calls": [["clock", {"a": 1}]], "plain": True}, "native"),
        ({"calls": [[None, "{}"]]}, "json"),
        ({"say": ""}, "json"),
        ({"say": "x", "finish": "length"}, "json"),
        ({"reasoning": "<tool_call>{}</tool_call>", "say": "four"}, "json"),
        ({"status": 422}, "json"),
    ],
)
def test_strange_answers_to_the_probe_choose_a_profile(step: Step, profile: str) -> None:
    with ModelServer([step]) as server:
        assert probe_profile(endpoint(server), cut=Cut()) == profile
