"""What a session asks of the model and the memory: each failure is one sentence or nothing at all."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Timer
from typing import Any

import pytest

from actors.base import Actor, Context, Mailbox, Restarting, Runtime
from actors.session_asks import NotReady, SessionAsks
from bxcore.labels import Label, Level
from bxcore.messages.memory import Recall
from bxcore.messages.model import Endpoint, GetEndpoint, ModelProgress, NoModel
from bxcore.tool_answer import ToolAnswer
from bxcore.turn import STOPPED
from bxio.brake import Brake
from tests.kit.leaks import Letters
from tests.kit.probe import Probe

ENDPOINT = Endpoint(url="http://127.0.0.1:1/v1", name="m", profile="native")
TRUSTED = Label(Level.PRIVATE, untrusted=False)


class Desk(Actor):
    """Answers with what ``answer`` makes of a message; an error that it returns is replied as one."""

    def __init__(self, context: Context, answer: Callable[[Any], Any]) -> None:
        super().__init__(context)
        self._answer = answer

    def on_receive(self, message: Any) -> object:
        answer = self._answer(message)
        if isinstance(answer, Restarting):
            reply = self.reply_later()
            assert reply is not None
            reply.fail(answer)
        return answer


def asks(runtime: Runtime, answer: Callable[[Any], Any], *, wait_s: float = 2.0) -> SessionAsks:
    for name in ("memory", "model"):
        runtime.start(name, lambda context: Desk(context, answer))
    return quiet_asks(runtime.mailbox("memory"), runtime.mailbox("model"), wait_s)


def quiet_asks(memory: Mailbox, model: Mailbox, wait_s: float) -> SessionAsks:
    return SessionAsks(
        session="k3f",
        memory=memory,
        model=model,
        broker=memory,
        audit=memory,
        endpoint_s=wait_s,
        memory_s=wait_s,
        audit_s=wait_s,
        now=time.monotonic,
    )


def test_an_endpoint_comes_with_its_progress(runtime: Runtime) -> None:
    def answer(message: GetEndpoint) -> Endpoint:
        assert message.listener is not None
        assert message.listener.name == "loop/k3f/progress"
        message.listener.tell(ModelProgress(text="loading, 40 %"))
        return ENDPOINT

    shown: list[str] = []
    assert asks(runtime, answer).endpoint(Brake(), shown.append) == ENDPOINT
    assert shown == ["loading, 40 %"]


def test_no_model_is_its_own_sentence(runtime: Runtime) -> None:
    made = asks(runtime, lambda _message: NoModel(sentence="set [model] url"))
    with pytest.raises(NotReady, match=r"set \[model\] url"):
        made.endpoint(Brake(), lambda _line: None)


def test_a_receiver_that_was_restarted_is_asked_once_more(runtime: Runtime) -> None:
    answers = iter([Restarting("memory"), "- Anna", Restarting("memory"), Restarting("memory")])
    made = asks(runtime, lambda _message: next(answers))
    assert made.memory_block(Brake()) == "- Anna"
    with pytest.raises(NotReady, match="the memory cannot be reached: memory was restarted"):
        made.memory_block(Brake())


def test_silence_ends_at_the_deadline(probe: Callable[[str], Probe], letters: Letters) -> None:
    made = quiet_asks(probe("memory").box, probe("model").box, 0.05)
    with pytest.raises(NotReady, match=r"the model was not ready within 0\.05 s"):
        made.endpoint(Brake(), lambda _line: None)
    with pytest.raises(NotReady, match=r"the memory did not answer within 0\.05 s"):
        made.memory_block(Brake())
    assert made.recalled("where?", Brake()) == ""
    letters.read_all()


def test_a_stopped_memory_is_a_sentence_for_a_start_and_nothing_for_a_recall(
    runtime: Runtime, letters: Letters, logged: list[str]
) -> None:
    made = asks(runtime, lambda _message: "x")
    runtime.stop("memory")
    with pytest.raises(NotReady, match="the memory cannot be reached: memory is stopped"):
        made.memory_block(Brake())
    assert made.recalled("where?", Brake()) == ""
    assert logged == ["auto_recall of session k3f: memory is stopped and will not answer"]
    letters.read_all()


def test_a_pulled_brake_wakes_the_wait(probe: Callable[[str], Probe], letters: Letters) -> None:
    made = quiet_asks(probe("memory").box, probe("model").box, 10.0)
    brake = Brake()
    timer = Timer(0.05, brake.pull)
    timer.start()
    began_s = time.monotonic()
    with pytest.raises(NotReady):
        made.endpoint(brake, lambda _line: None)
    assert time.monotonic() - began_s < 1.0
    timer.join(timeout=5)
    letters.read_all()


def test_a_recall_asks_for_three_trusted_items_of_the_texts_first_words(runtime: Runtime) -> None:
    heard: list[Recall] = []

    def answer(message: Recall) -> ToolAnswer:
        heard.append(message)
        return ToolAnswer(ok=True, content="[1] memory · notes · private\n    tin", label=TRUSTED)

    made = asks(runtime, answer)
    assert made.recalled("x" * 600, Brake()).endswith("tin")
    (recall,) = heard
    assert (recall.args.query, recall.args.k, recall.session, recall.trusted_only) == (
        "x" * 500,
        3,
        "k3f",
        True,
    )
    assert made.recalled(" " * 500 + "late words", Brake()) == ""
    assert len(heard) == 1


def test_what_became_of_calls_is_the_brokers_word_or_nothing(
    runtime: Runtime, letters: Letters, logged: list[str]
) -> None:
    told = {"t1c1": "it did not run"}
    made = asks(runtime, lambda _message: told)
    assert made.what_became(("t1c1", "t1c2"), Brake()) == told
    assert made.what_became((), Brake()) == {}
    runtime.stop("memory")
    assert made.what_became(("t1c1",), Brake()) == {}
    assert logged == ["what became of calls of session k3f: memory is stopped and will not answer"]
    letters.read_all()


def test_a_settled_record_is_none_and_every_other_end_a_sentence(
    runtime: Runtime, probe: Callable[[str], Probe], letters: Letters
) -> None:
    made = asks(runtime, lambda message: None if message.number == 7 else Restarting("audit"))
    assert made.settled(7, Brake()) is None
    assert (
        made.settled(8, Brake())
        == "the audit cannot be written: audit was restarted before it answered, try again"
    )
    silent = quiet_asks(probe("silent").box, probe("model-2").box, 0.05)
    assert silent.settled(7, Brake()) == "the audit was not on disk within 0.05 s; look at the disk"
    pulled = Brake()
    pulled.pull()
    assert quiet_asks(probe("silent-2").box, probe("model-3").box, 5.0).settled(7, pulled) == STOPPED
    letters.read_all()
