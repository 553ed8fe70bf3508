from __future__ import annotations

import threading

from actors.base import Actor, Context, Runtime
from actors.box_facts import BoxFacts
from bxcore.control.views import Fact
from bxcore.doctor import Verdict
from bxcore.messages.model import ModelState, ServerState
from bxcore.outbox_facts import OutboxFacts
from bxcore.recall_facts import RecallFacts
from bxcore.sandbox import Guarantee, SandboxView
from tests.kit.leaks import Letters


def test_nothing_is_said_before_there_is_news(runtime: Runtime) -> None:
    assert list(BoxFacts(runtime)()) == []


def test_the_model_s_last_news_is_shown(runtime: Runtime) -> None:
    facts = BoxFacts(runtime)
    facts.hear_of_model(ModelState(text="loading", ok=True))
    facts.hear_of_model(ModelState(text="no answer", ok=False))
    (fact,) = facts()
    assert (fact.name, fact.text, fact.ok, fact.help) == ("model", "no answer", False, "bxctl restart model")


def test_the_door_of_openais_interface_is_a_line_of_both(runtime: Runtime) -> None:
    facts = BoxFacts(runtime)
    facts.hear_of_api(Fact(name="api", text="the port is in use", ok=False, help="ss"))
    assert [(fact.name, fact.ok) for fact in facts()] == [("api", False)]
    assert [(check.verdict, check.help) for check in facts.checks()] == [(Verdict.BAD, "ss")]
    facts.hear_of_api(Fact(name="api", text="listens"))
    assert [fact.ok for fact in facts()] == [True]


def test_how_recall_is_is_shown_by_status_and_doctor(runtime: Runtime) -> None:
    facts = BoxFacts(runtime)
    facts.hear_of_recall(RecallFacts(turns=12_345, notes=3, disk_bytes=18_040_000))
    (fact,) = facts()
    assert (fact.name, fact.text, fact.ok) == ("recall", "12,345 turns, 3 notes, 18.0 MB", True)
    assert [(check.name, check.verdict) for check in facts.checks()] == [("recall", Verdict.OK)]
    facts.hear_of_recall(RecallFacts(problem="the recall index cannot be used: disk full"))
    (fact,) = facts()
    assert (fact.ok, fact.help) == (False, "look at the disk, then bxctl restart memory")


def test_an_audit_that_cannot_be_written_is_a_problem_until_it_can(runtime: Runtime) -> None:
    facts = BoxFacts(runtime)
    facts.hear_of_audit("audit.jsonl cannot be opened: Is a directory")
    (fact,) = facts()
    assert (fact.name, fact.ok) == ("audit", False)
    assert fact.text == "no call runs, audit.jsonl cannot be opened: Is a directory"
    facts.hear_of_audit(None)
    assert list(facts()) == []


def test_a_chain_that_did_not_hold_at_the_start_is_a_problem_of_status_alone(runtime: Runtime) -> None:
    facts = BoxFacts(runtime)
    facts.hear_of_broken_chain("line 2 is no audit record")
    (fact,) = facts()
    assert (fact.name, fact.ok, fact.help) == ("audit chain", False, "bxctl audit verify")
    assert fact.text == "somebody changed the file, line 2 is no audit record"
    assert list(facts.checks()) == []


def test_grants_that_are_not_in_force_are_a_problem_until_they_are_mended(runtime: Runtime) -> None:
    facts = BoxFacts(runtime)
    facts.hear_of_grants(("g/x.toml:3: no such key", "g/y.toml:1: tool is missing"))
    (fact,) = facts()
    assert (fact.name, fact.ok, fact.help) == ("grants in force", False, "bxctl grants")
    assert fact.text == "an older set, g/x.toml:3: no such key; 1 more"
    assert [check.name for check in facts.checks()] == ["grants in force"]
    facts.hear_of_grants(())
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


def test_what_the_runner_found_is_a_line_of_status_and_all_of_it_doctor_s(runtime: Runtime) -> None:
    facts = BoxFacts(runtime)
    facts.hear_of_sandbox(SandboxView(backend=None, ready=False, sentence="neither is here"))
    (fact,) = facts()
    assert (fact.name, fact.text, fact.ok) == ("sandbox", "neither is here", False)
    facts.hear_of_sandbox(
        SandboxView(
            backend="podman",
            image="localhost/boxmaker-tools",
            missing=((Guarantee.PIDS_LIMIT, "the cgroup has no pids controller"),),
            ready=False,
            sentence="tools do not run",
        )
    )
    checks = {check.name: check for check in facts.checks()}
    assert checks["sandbox"].verdict is Verdict.BAD
    assert checks["pids-limit"].sentence == "not proven: the cgroup has no pids controller"


def test_doctor_hears_the_good_news_too(runtime: Runtime) -> None:
    facts = BoxFacts(runtime)
    facts.hear_of_model(ModelState(text="embedded, ready", ok=True))
    facts.hear_of_audit("the disk is full")
    model, audit = facts.checks()
    assert (model.name, model.verdict, model.help) == ("model", Verdict.OK, None)
    assert (audit.verdict, audit.help) == (Verdict.BAD, "bxctl inspect audit")
    assert audit.sentence == "no call runs, the disk is full"


def test_the_way_to_honcho_is_a_line_of_status_and_doctor_tries_it_itself(runtime: Runtime) -> None:
    facts = BoxFacts(runtime)
    facts.hear_of_outbox(OutboxFacts(waiting=0, parked=1))
    (fact,) = facts()
    assert (fact.name, fact.ok, fact.help) == ("honcho", False, "bxctl memory outbox")
    assert fact.text == "no turn waits; 1 turn parked"
    assert list(facts.checks()) == []


def test_each_of_several_models_is_a_line_of_doctor_and_status_has_one(runtime: Runtime) -> None:
    facts = BoxFacts(runtime)
    servers = (
        ServerState(label="http://a/v1", text="left alone for 3 s: it broke", ok=False),
        ServerState(label="embedded", text="json profile, in use", ok=True),
    )
    facts.hear_of_model(ModelState(text="qwen, embedded, ready", ok=True, servers=servers))
    assert [fact.name for fact in facts()] == ["model"]
    _, first, second = facts.checks()
    assert (first.name, first.verdict, first.sentence) == (
        "model 1",
        Verdict.WARN,
        "http://a/v1, left alone for 3 s: it broke",
    )
    assert (second.name, second.verdict, second.help) == ("model 2", Verdict.OK, None)
