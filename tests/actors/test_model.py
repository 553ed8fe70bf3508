from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.base import Mailbox, Runtime
from actors.model import MAX_DEATHS, Embedded, Model, Remote, Source
from bxcore.backoff import Backoff
from bxcore.messages.model import Endpoint, GetEndpoint, ModelProgress, ModelState, NoModel
from bxio.model_child import Order
from tests.doubles.model_server import ModelServer
from tests.kit.leaks import Letters
from tests.kit.probe import Probe

DOUBLE = Path(__file__).parent.parent / "doubles" / "model_process.py"
QUICK = Backoff(first_s=0.01, most_s=0.02)


class Box:
    """A model's actor with a stand-in for its process."""

    def __init__(self, runtime: Runtime, folder: Path) -> None:
        self.states: list[ModelState] = []
        self.ready = threading.Event()
        self.note = folder / "starts"
        self._runtime = runtime
        self._folder = folder

    def start(self, source: Source) -> Mailbox:
        return self._runtime.start(
            "model", lambda context: Model(context, source=source, publish=self._publish)
        )

    def _publish(self, state: ModelState) -> None:
        self.states.append(state)
        if state.text.endswith("ready"):
            self.ready.set()

    def embedded(self, way: str) -> Mailbox:
        order = Order(
            cache=self._folder / "cache",
            runtime=self._folder / "run",
            log=self._folder / "log" / "model.log",
            context_tokens=4096,
            command=(sys.executable, str(DOUBLE), way, str(self.note)),
        )
        return self.start(Embedded(order=order, backoff=QUICK))

    def pids(self) -> list[int]:
        return [int(line) for line in self.note.read_text().split()]


@pytest.fixture
def box(runtime: Runtime, tmp_path: Path) -> Box:
    return Box(runtime, tmp_path)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_the_endpoint_comes_when_the_process_is_ready(box: Box) -> None:
    found = box.embedded("ready").call(GetEndpoint(), 10)
    assert isinstance(found, Endpoint)
    assert (found.name, found.profile, found.context_tokens, found.llama_cpp) == (
        "stand-in",
        "json",
        4096,
        True,
    )
    assert found.socket is not None
    assert box.states[-1] == ModelState(text="stand-in, embedded, ready", ok=True)


def test_progress_is_told_to_who_waits(box: Box, probe: Callable[[str], Probe]) -> None:
    listener = probe("listener")
    model = box.embedded("ready")
    assert isinstance(model.call(GetEndpoint(listener=listener.box), 10), Endpoint)
    texts = [listener.expect(ModelProgress).text, listener.expect(ModelProgress).text]
    assert texts == ["starting the model", "assembling the model's weights, 40 %"]


def test_the_mailbox_is_free_while_the_process_loads(box: Box) -> None:
    model = box.embedded("slow")
    first = model.ask(GetEndpoint(), time.monotonic() + 30)
    began = time.monotonic()
    second = model.ask(GetEndpoint(), began + 0.2)
    second.outcome(began + 0.2)
    assert first.pending
    first.abandon()


def test_a_stop_ends_the_process(runtime: Runtime, box: Box) -> None:
    box.embedded("ready").call(GetEndpoint(), 10)
    assert runtime.stop("model")
    assert all(gone(pid) for pid in box.pids())


def test_a_process_that_dies_while_it_loads_is_started_again(box: Box) -> None:
    assert isinstance(box.embedded("dies_once").call(GetEndpoint(), 10), Endpoint)
    assert len(box.pids()) == 2
    assert any("died (signal 9)" in state.text and not state.ok for state in box.states)


def test_a_ready_process_that_is_killed_is_started_again(box: Box) -> None:
    model = box.embedded("ready")
    first = model.call(GetEndpoint(), 10)
    os.kill(box.pids()[0], signal.SIGKILL)
    deadline = time.monotonic() + 10
    while (found := model.call(GetEndpoint(), 10)) == first and time.monotonic() < deadline:
        pass
    assert isinstance(found, Endpoint)
    assert found != first


def test_a_process_that_keeps_dying_ends_in_one_sentence(box: Box) -> None:
    found = box.embedded("dies").call(GetEndpoint(), 15)
    assert isinstance(found, NoModel)
    assert f"died {MAX_DEATHS} times (exit code 3)" in found.sentence
    assert "[model] url" in found.sentence
    assert len(box.pids()) == MAX_DEATHS
    assert not box.states[-1].ok


def test_a_failure_is_told_in_the_process_own_words_and_tried_anew_when_asked(box: Box) -> None:
    model = box.embedded("fails")
    assert model.call(GetEndpoint(), 10) == NoModel(sentence="the weights are somewhere else")
    assert isinstance(model.call(GetEndpoint(), 10), Endpoint)


def test_a_pipe_in_place_of_the_owner_s_file_is_one_sentence_and_no_good_state(
    box: Box, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe.gguf"
    os.mkfifo(pipe)
    order = Order(cache=tmp_path, runtime=tmp_path / "run", log=tmp_path / "log", file=pipe)
    found = box.start(Embedded(order=order)).call(GetEndpoint(), 20)
    sentence = f"[model] file {pipe} is no regular file; name another, or leave [model] file out"
    assert found == NoModel(sentence=sentence)
    assert box.states[-1] == ModelState(text=sentence, ok=False)


def test_lines_that_are_no_news_are_passed_over(box: Box) -> None:
    assert isinstance(box.embedded("garbage").call(GetEndpoint(), 10), Endpoint)


def test_a_program_that_is_not_there_is_one_sentence(box: Box, tmp_path: Path) -> None:
    order = Order(cache=tmp_path, runtime=tmp_path, log=tmp_path / "log", command=("/nowhere/python",))
    found = box.start(Embedded(order=order)).call(GetEndpoint(), 5)
    assert isinstance(found, NoModel)
    assert "cannot be started" in found.sentence


def test_a_server_is_asked_once_for_what_is_not_configured(box: Box) -> None:
    with ModelServer([{"call": ["clock", {}]}], context_tokens=16_384) as server:
        model = box.start(Remote(url=server.url, api_key="k"))
        found = model.call(GetEndpoint(), 5)
        assert model.call(GetEndpoint(), 5) == found
        assert len(server.chats) == 1
    assert found == Endpoint(
        url=server.url, name="scripted", profile="native", api_key="k", context_tokens=16_384, llama_cpp=True
    )


def test_a_server_with_a_configured_profile_gets_no_chat(box: Box) -> None:
    with ModelServer() as server:
        found = box.start(Remote(url=server.url, name="m", profile="json", context_tokens=9000)).call(
            GetEndpoint(), 5
        )
        assert server.chats == []
    assert (found.name, found.profile, found.context_tokens) == ("m", "json", 9000)


def test_a_server_that_is_down_is_one_sentence_and_asked_again_later(box: Box) -> None:
    with ModelServer() as gone_server:
        port = gone_server.port
    model = box.start(Remote(url=f"http://127.0.0.1:{port}/v1"))
    found = model.call(GetEndpoint(), 10)
    assert isinstance(found, NoModel)
    assert "cannot be reached" in found.sentence
    assert not box.states[-1].ok
    with ModelServer([{"say": "no call"}], port=port):
        assert model.call(GetEndpoint(), 10).profile == "json"


def test_a_server_whose_host_cannot_be_is_one_sentence_and_no_crash(box: Box) -> None:
    model = box.start(Remote(url="http://xn--a/v1"))
    for _ in range(2):
        assert model.call(GetEndpoint(), 5) == NoModel(
            sentence="http://xn--a/v1 holds no host that can be asked; check [model] url"
        )
    assert not box.states[-1].ok


def test_a_stop_ends_the_asking_of_a_silent_server(runtime: Runtime, box: Box) -> None:
    with ModelServer([{"silence_s": 30}]) as server:
        model = box.start(Remote(url=server.url))
        ask = model.ask(GetEndpoint(), time.monotonic() + 20)
        while not server.chats and ask.pending:
            ask.outcome_kept(time.monotonic() + 0.02)
        began = time.monotonic()
        assert runtime.stop("model")
        assert time.monotonic() - began < 2


def test_a_key_is_not_in_what_is_printed_of_a_server() -> None:
    assert "sk-1" not in repr(Remote(url="http://127.0.0.1/v1", api_key="sk-1"))
    assert "sk-1" not in repr(Endpoint(url="http://127.0.0.1/v1", name="m", profile="json", api_key="sk-1"))


def test_who_no_longer_waits_gets_no_late_answer(
    box: Box, letters: Letters, probe: Callable[[str], Probe]
) -> None:
    listener = probe("listener")
    model = box.embedded("ready")
    ask = model.ask(GetEndpoint(listener=listener.box), time.monotonic() + 9)
    listener.expect(ModelProgress)
    ask.abandon()
    assert box.ready.wait(timeout=10)
    assert isinstance(model.call(GetEndpoint(), 10), Endpoint)
    assert not letters.unread()


def test_a_server_s_own_name_for_its_model_is_shown_without_a_secret(box: Box) -> None:
    key = "sk-proj-" + "A1b2C3d4" * 6
    with ModelServer() as server:
        source = Remote(url=server.url, name=f"m\x1b[2J {key}", profile="json", context_tokens=9000)
        found = box.start(source).call(GetEndpoint(), 5)
    assert found.name == source.name
    assert box.states[-1].text == f"m [2J [secret-sk] at {server.url}, json profile"
