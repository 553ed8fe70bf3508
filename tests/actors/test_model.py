from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors import model as actor
from actors.base import Runtime
from actors.model_embedded import Embedded
from bxcore.messages.model import Endpoint, EndpointFailed, GetEndpoint, ModelProgress, NoModel
from bxio.model_child import Order
from tests.doubles.bad_manners import answers, in_turn
from tests.doubles.honcho_asks import until
from tests.doubles.loopback import LoopbackServer
from tests.doubles.model_bench import DOUBLE, QUICK, ModelBench, remote
from tests.doubles.model_server import ModelServer, Step
from tests.kit.probe import Probe


@pytest.fixture
def box(runtime: Runtime, tmp_path: Path) -> ModelBench:
    return ModelBench(runtime, tmp_path)


def test_a_server_is_asked_once_for_what_is_not_configured(box: ModelBench) -> None:
    with ModelServer([{"call": ["clock", {}]}], context_tokens=16_384) as server:
        model = box.start(remote(server.url, api_key="k"))
        found = model.call(GetEndpoint(), 5)
        assert model.call(GetEndpoint(), 5) == found
        assert len(server.chats) == 1
    assert found == Endpoint(
        url=server.url,
        name="scripted",
        profile="native",
        api_key="k",
        context_tokens=16_384,
        llama_cpp=True,
        probed=1,
    )


def test_a_server_with_a_configured_profile_gets_no_chat(box: ModelBench) -> None:
    with ModelServer() as server:
        found = box.start(remote(server.url, name="m", profile="json", context_tokens=9000)).call(
            GetEndpoint(), 5
        )
        assert server.chats == []
    assert (found.name, found.profile, found.context_tokens) == ("m", "json", 9000)


def test_a_server_that_is_down_is_one_sentence_and_asked_again_later(box: ModelBench) -> None:
    with ModelServer() as gone_server:
        port = gone_server.port
    model = box.start(remote(f"http://127.0.0.1:{port}/v1"))
    found = model.call(GetEndpoint(), 10)
    assert isinstance(found, NoModel)
    assert "cannot be reached" in found.sentence
    assert not box.states[-1].ok
    with ModelServer([{"say": "no call"}], port=port):
        assert model.call(GetEndpoint(), 10).profile == "json"


def test_a_server_whose_host_cannot_be_is_one_sentence_and_no_crash(box: ModelBench) -> None:
    model = box.start(remote("http://xn--a/v1"))
    for _ in range(2):
        assert model.call(GetEndpoint(), 5) == NoModel(
            sentence="http://xn--a/v1 holds no host that can be asked; check [model] url"
        )
    assert not box.states[-1].ok


def test_a_stop_ends_the_asking_of_a_silent_server(runtime: Runtime, box: ModelBench) -> None:
    with ModelServer([{"silence_s": 30}]) as server:
        model = box.start(remote(server.url))
        ask = model.ask(GetEndpoint(), time.monotonic() + 20)
        while not server.chats and ask.pending:
            ask.outcome_kept(time.monotonic() + 0.02)
        began = time.monotonic()
        assert runtime.stop("model")
        assert time.monotonic() - began < 2


def test_a_key_is_not_in_what_is_printed_of_a_server() -> None:
    assert "sk-1" not in repr(remote("http://127.0.0.1/v1", api_key="sk-1"))
    assert "sk-1" not in repr(Endpoint(url="http://127.0.0.1/v1", name="m", profile="json", api_key="sk-1"))


def test_a_server_s_own_name_for_its_model_is_shown_without_a_secret(box: ModelBench) -> None:
    key = "sk-proj-" + "A1b2C3d4" * 6
    with ModelServer() as server:
        source = remote(server.url, name=f"m\x1b[2J {key}", profile="json", context_tokens=9000)
        found = box.start(source).call(GetEndpoint(), 5)
    assert found.name == source.plan.name
    assert box.states[-1].text == f"m [2J [secret-sk] at {server.url}, json profile"


LOADING = answers(503, {"error": {"message": "Loading model"}})
NATIVE: Any = {"profile": "native", "context_tokens": 9000}


def failure(found: Endpoint, fault: Any = "gone") -> EndpointFailed:
    return EndpointFailed(place=found.place, probed=found.probed, sentence="it broke", fault=fault)


def test_a_server_is_asked_at_the_start_and_its_state_is_told_without_anybody_asking(box: ModelBench) -> None:
    with ModelServer() as gone_server:
        pass
    box.start(remote(gone_server.url, **NATIVE))
    assert until(lambda: "cannot be reached" in box.states[-1].text)
    assert not box.states[-1].ok


def test_the_first_that_answers_is_taken_and_the_owner_sees_why_another_is_not(box: ModelBench) -> None:
    with ModelServer() as gone_server:
        pass
    with ModelServer() as second:
        model = box.start(remote(gone_server.url, **NATIVE), remote(second.url, name="b", **NATIVE))
        found = model.call(GetEndpoint(), 5)
        assert (found.url, found.place) == (second.url, 1)
        state = box.states[-1]
        assert state.ok
        assert state.text.startswith(
            f"b at {second.url}, native profile; {gone_server.url} is left alone: the model's server at"
        )
        first, other = state.servers
        assert (first.label, first.ok) == (gone_server.url, False)
        assert "left alone for" in first.text
        assert "cannot be reached" in first.text
        assert (other.label, other.text, other.ok) == (f"{second.url} (b)", "native profile, in use", True)


def test_one_is_made_ready_before_anybody_asks(box: ModelBench) -> None:
    with ModelServer() as gone_server:
        pass
    with ModelServer() as second:
        box.start(remote(gone_server.url, **NATIVE), remote(second.url, **NATIVE))
        assert until(lambda: box.states[-1].text.startswith(f"scripted at {second.url}"))


def test_the_owner_s_first_is_taken_when_both_answer(box: ModelBench) -> None:
    with ModelServer() as first, ModelServer() as second:
        model = box.start(remote(first.url, **NATIVE), remote(second.url, **NATIVE))
        assert model.call(GetEndpoint(), 5).url == first.url
        assert second.seen == []


def test_one_that_fails_is_left_alone_and_comes_back_by_itself(box: ModelBench) -> None:
    with ModelServer() as second:
        with ModelServer() as first:
            model = box.start(remote(first.url, **NATIVE), remote(second.url, **NATIVE))
            used = model.call(GetEndpoint(), 5)
        model.tell(failure(used))
        assert model.call(GetEndpoint(without=(0,)), 5).url == second.url
        assert model.call(GetEndpoint(), 5).url == second.url
        with ModelServer(port=first.port, context_tokens=5000) as back:
            assert until(lambda: box.states[-1].text.startswith(f"scripted at {back.url}"))
            again = model.call(GetEndpoint(), 5)
            assert (again.url, again.probed, again.llama_cpp) == (first.url, 2, True)
            assert model.call(GetEndpoint(using=1), 5).url == second.url  # a turn keeps its server
        assert box.states[-1].ok


def test_a_slow_one_rests_and_needs_not_say_again_what_it_is(box: ModelBench) -> None:
    with ModelServer() as first, ModelServer() as second:
        model = box.start(remote(first.url, **NATIVE), remote(second.url, **NATIVE))
        used = model.call(GetEndpoint(), 5)
        questions = len(first.seen)
        model.tell(failure(used, "slow"))
        assert model.call(GetEndpoint(using=0), 5).url == second.url
        assert until(lambda: box.states[-1].servers[0].text == "native profile, in use")
        assert model.call(GetEndpoint(), 5) == used
        assert len(first.seen) == questions


def test_the_failure_of_an_endpoint_that_is_no_more_counts_no_more(box: ModelBench) -> None:
    with ModelServer() as server:
        model = box.start(remote(server.url, **NATIVE))
        used = model.call(GetEndpoint(), 5)
        model.tell(EndpointFailed(place=0, probed=used.probed + 1, sentence="old", fault="gone"))
        model.tell(EndpointFailed(place=7, probed=1, sentence="none", fault="gone"))
        assert model.call(GetEndpoint(), 5) == used
        assert box.states[-1].ok


def test_a_single_server_that_failed_is_asked_anew_for_the_next_turn(box: ModelBench) -> None:
    with ModelServer() as server:
        model = box.start(remote(server.url, **NATIVE))
        used = model.call(GetEndpoint(), 5)
        model.tell(failure(used))
        assert model.call(GetEndpoint(without=(0,)), 5) == NoModel(sentence="it broke")
        assert model.call(GetEndpoint(), 5).probed == used.probed + 1


def test_when_none_answers_that_is_said_and_all_are_tried_for_the_next_turn(
    box: ModelBench,
) -> None:
    with ModelServer() as one, ModelServer() as two:
        pass
    model = box.start(remote(one.url, **NATIVE), remote(two.url, **NATIVE))
    found = model.call(GetEndpoint(), 5)
    assert isinstance(found, NoModel)
    assert found.sentence.startswith("none of the 2 models answers; the model's server at http://127.0.0.1:")
    assert found.sentence.endswith("; bxctl doctor says why of the others")
    with ModelServer(port=two.port):
        assert model.call(GetEndpoint(), 5).url == two.url


def test_the_embedded_model_may_stand_behind_a_server(box: ModelBench, tmp_path: Path) -> None:
    with ModelServer() as server:
        pass
    order = Order(
        cache=tmp_path / "cache",
        runtime=tmp_path / "run",
        log=tmp_path / "log" / "model.log",
        command=(sys.executable, str(DOUBLE), "ready", str(box.note)),
    )
    model = box.start(remote(server.url, **NATIVE), Embedded(order=order, backoff=QUICK))
    found = model.call(GetEndpoint(), 10)
    assert (found.name, found.place) == ("stand-in", 1)
    assert box.states[-1].text.startswith(f"stand-in, embedded, ready; {server.url} is left alone: ")


def test_a_server_that_loads_its_model_is_waited_for_and_who_waits_is_told(
    box: ModelBench, probe: Callable[[str], Probe]
) -> None:
    listener = probe("listener")
    with LoopbackServer(in_turn([LOADING, LOADING, *[answers(404, {})] * 9])) as server:
        url = f"{server.url}/v1"
        model = box.start(remote(url, name="m", **NATIVE))
        found = model.call(GetEndpoint(listener=listener.box), 10)
    assert found.url == url
    assert listener.expect(ModelProgress).text == (
        f"the model's server at {url} is loading its model; waiting for it"
    )


def test_another_is_taken_while_a_server_loads_its_model(box: ModelBench) -> None:
    with LoopbackServer(in_turn([LOADING] * 99)) as loading, ModelServer() as second:
        model = box.start(remote(f"{loading.url}/v1", **NATIVE), remote(second.url, **NATIVE))
        assert model.call(GetEndpoint(), 5).url == second.url


def test_a_server_that_stays_away_is_logged_once(box: ModelBench, logged: list[str]) -> None:
    with ModelServer() as gone_server:
        pass
    model = box.start(remote(gone_server.url, **NATIVE))
    for _ in range(3):
        assert isinstance(model.call(GetEndpoint(), 5), NoModel)
    lines = [line for line in logged if line.startswith("model: ")]
    assert len(lines) == 1
    with ModelServer(port=gone_server.port):
        assert isinstance(model.call(GetEndpoint(), 5), Endpoint)
    assert f"model: {gone_server.url} answers again" in logged


def test_another_is_taken_while_a_server_is_silent_and_the_first_once_it_speaks(
    box: ModelBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actor, "PATIENCE_S", 0.2)
    step: Step = {"wait_s": 1.5, "call": ["clock", {}]}
    with ModelServer([step]) as slow, ModelServer() as second:
        model = box.start(remote(slow.url, context_tokens=9000), remote(second.url, **NATIVE))
        began = time.monotonic()
        assert model.call(GetEndpoint(), 10).url == second.url
        assert time.monotonic() - began < 1.4
        assert until(lambda: box.states[-1].text == f"scripted at {slow.url}, native profile")
        assert model.call(GetEndpoint(), 5).url == slow.url


def test_a_single_silent_server_is_waited_for(box: ModelBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actor, "PATIENCE_S", 0.1)
    with ModelServer([{"wait_s": 0.6, "call": ["clock", {}]}]) as slow:
        assert box.start(remote(slow.url)).call(GetEndpoint(), 10).profile == "native"
    assert box.states[-1].ok
