from __future__ import annotations

import threading

from actors.base import Actor, Context, Runtime
from actors.box_facts import BoxFacts
from bxcore.messages.model import ModelState
from tests.kit.leaks import Letters


def test_nothing_is_said_before_there_is_news(runtime: Runtime) -> None:
    assert list(BoxFacts(runtime)()) == []


def test_the_model_s_last_news_is_shown(runtime: Runtime) -> None:
    facts = BoxFacts(runtime)
    facts.hear_of_model(ModelState(text="loading", ok=True))
    facts.hear_of_model(ModelState(text="no answer", ok=False))
    (fact,) = facts()
    assert (fact.name, fact.text, fact.ok, fact.help) == ("model", "no answer", False, "bxctl restart model")


def test_an_audit_that_cannot_be_written_is_a_problem_until_it_can(runtime: Runtime) -> None:
    facts = BoxFacts(runtime)
    facts.hear_of_audit("audit.jsonl cannot be opened: Is a directory")
    (fact,) = facts()
    assert (fact.name, fact.ok) == ("audit", False)
    assert fact.text == "no call runs, audit.jsonl cannot be opened: Is a directory"
    facts.hear_of_audit(None)
    assert list(facts()) == []


class Stuck(Actor):
    """Blocks in its one message until it is let go."""

    def __init__(self, context: Context, entered: threading.Event, go: threading.Event) -> None:
        super().__init__(context)
        self._entered = entered
        self._go = go

    def on_receive(self, message: object) -> None:
        self._entered.set()
        self._go.wait(timeout=20)


def test_a_stuck_thread_is_shown_until_it_ends(runtime: Runtime, letters: Letters) -> None:
    entered, go = threading.Event(), threading.Event()
    box = runtime.start("stuck", lambda context: Stuck(context, entered, go))
    box.tell("anything")
    assert entered.wait(timeout=10)
    life = runtime.life("stuck")
    assert life is not None
    assert not runtime.stop("stuck", timeout_s=0.05)
    (fact,) = BoxFacts(runtime)()
    assert not fact.ok
    assert fact.text.startswith("1, the oldest stuck for 0 s")
    assert fact.help == "bxctl stack stuck"
    go.set()
    assert life.thread is not None
    life.thread.join(timeout=10)
    assert list(BoxFacts(runtime)()) == []
    letters.read_all()
