from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.base import Runtime
from actors.model_embedded import MAX_DEATHS, Embedded
from bxcore.messages.model import Endpoint, GetEndpoint, ModelProgress, ModelState, NoModel
from bxio.model_child import Order
from tests.doubles.model_bench import ModelBench
from tests.kit.leaks import Letters
from tests.kit.probe import Probe


@pytest.fixture
def box(runtime: Runtime, tmp_path: Path) -> ModelBench:
    return ModelBench(runtime, tmp_path)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_the_endpoint_comes_when_the_process_is_ready(box: ModelBench) -> None:
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


def test_progress_is_told_to_who_waits(box: ModelBench, probe: Callable[[str], Probe]) -> None:
    listener = probe("listener")
    model = box.embedded("ready")
    assert isinstance(model.call(GetEndpoint(listener=listener.box), 10), Endpoint)
    texts = [listener.expect(ModelProgress).text, listener.expect(ModelProgress).text]
    assert texts == ["starting the model", "assembling the model's weights, 40 %"]


def test_the_mailbox_is_free_while_the_process_loads(box: ModelBench) -> None:
    model = box.embedded("slow")
    first = model.ask(GetEndpoint(), time.monotonic() + 30)
    began = time.monotonic()
    second = model.ask(GetEndpoint(), began + 0.2)
    second.outcome(began + 0.2)
    assert first.pending
    first.abandon()


def test_a_stop_ends_the_process(runtime: Runtime, box: ModelBench) -> None:
    box.embedded("ready").call(GetEndpoint(), 10)
    assert runtime.stop("model")
    assert all(gone(pid) for pid in box.pids())


def test_a_process_that_dies_while_it_loads_is_started_again(box: ModelBench) -> None:
    assert isinstance(box.embedded("dies_once").call(GetEndpoint(), 10), Endpoint)
    assert len(box.pids()) == 2
    assert any("died (signal 9)" in state.text and not state.ok for state in box.states)


def test_a_ready_process_that_is_killed_is_started_again(box: ModelBench) -> None:
    model = box.embedded("ready")
    first = model.call(GetEndpoint(), 10)
    os.kill(box.pids()[0], signal.SIGKILL)
    deadline = time.monotonic() + 10
    while (found := model.call(GetEndpoint(), 10)) == first and time.monotonic() < deadline:
        pass
    assert isinstance(found, Endpoint)
    assert found != first


def test_a_process_that_keeps_dying_ends_in_one_sentence(box: ModelBench) -> None:
    found = box.embedded("dies").call(GetEndpoint(), 15)
    assert isinstance(found, NoModel)
    assert f"died {MAX_DEATHS} times (exit code 3)" in found.sentence
    assert "[model] url" in found.sentence
    assert len(box.pids()) == MAX_DEATHS
    assert not box.states[-1].ok


def test_a_failure_is_told_in_the_process_own_words_and_tried_anew_when_asked(box: ModelBench) -> None:
    model = box.embedded("fails")
    assert model.call(GetEndpoint(), 10) == NoModel(sentence="the weights are somewhere else")
    assert isinstance(model.call(GetEndpoint(), 10), Endpoint)


def test_a_pipe_in_place_of_the_owner_s_file_is_one_sentence_and_no_good_state(
    box: ModelBench, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe.gguf"
    os.mkfifo(pipe)
    order = Order(cache=tmp_path, runtime=tmp_path / "run", log=tmp_path / "log", file=pipe)
    found = box.start(Embedded(order=order)).call(GetEndpoint(), 20)
    sentence = f"[model] file {pipe} is no regular file; name another, or leave [model] file out"
    assert found == NoModel(sentence=sentence)
    assert box.states[-1] == ModelState(text=sentence, ok=False)


def test_lines_that_are_no_news_are_passed_over(box: ModelBench) -> None:
    assert isinstance(box.embedded("garbage").call(GetEndpoint(), 10), Endpoint)


def test_a_program_that_is_not_there_is_one_sentence(box: ModelBench, tmp_path: Path) -> None:
    order = Order(cache=tmp_path, runtime=tmp_path, log=tmp_path / "log", command=("/nowhere/python",))
    found = box.start(Embedded(order=order)).call(GetEndpoint(), 5)
    assert isinstance(found, NoModel)
    assert "cannot be started" in found.sentence


def test_who_no_longer_waits_gets_no_late_answer(
    box: ModelBench, letters: Letters, probe: Callable[[str], Probe]
) -> None:
    listener = probe("listener")
    model = box.embedded("ready")
    ask = model.ask(GetEndpoint(listener=listener.box), time.monotonic() + 9)
    listener.expect(ModelProgress)
    ask.abandon()
    assert box.ready.wait(timeout=10)
    assert isinstance(model.call(GetEndpoint(), 10), Endpoint)
    assert not letters.unread()
