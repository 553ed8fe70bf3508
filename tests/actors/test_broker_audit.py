from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from actors.base import Refusal, Why
from actors.broker import Settings
from bxcore.grants import BUILT_IN
from bxcore.labels import NEW_SESSION, OWN_WORDS, Label, Level
from bxcore.messages.audit import GrantsLoaded, Intent, Outcome
from bxcore.messages.broker import ToolRequest
from bxcore.messages.memory import AskMemory, Recall
from bxcore.records import SessionStart, User
from bxcore.tool_answer import ToolAnswer
from bxcore.waits import Waits
from tests.doubles.broker_bench import FOREVER_S, BrokerBench, broker_bench, log, make_broker, result
from tests.kit.kit import Kit

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
SECRET = Label(Level.SECRET, untrusted=False)
START = SessionStart(baseline="")
SAID = User(text="where is the key?", speaker="owner")
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def bench(kit: Kit, tmp_path: Path) -> BrokerBench:
    return broker_bench(kit, tmp_path)


def test_the_audit_has_the_intent_before_the_effect_and_the_outcome_before_the_result(
    bench: BrokerBench,
) -> None:
    reply = bench.ask(call="c7")
    bench.memory.expect(Recall)
    [intent] = bench.lines()
    canonical = '{"query":"key","k":5}'
    assert intent["decision"] == "allowed"
    assert intent["arguments"] == canonical
    assert intent["arguments_sha256"] == hashlib.sha256(canonical.encode()).hexdigest()
    assert intent["grant"] == "builtin-recall"
    assert intent["grant_sha256"] == hashlib.sha256(BUILT_IN[1].text.encode()).hexdigest()
    bench.kit.advance(0.5)
    bench.memory.reply(ToolAnswer(ok=True, content="found", label=UNTRUSTED))
    bench.outcome(reply)
    outcome = bench.lines()[1]
    assert (outcome["call"], outcome["outcome"], outcome["duration_ms"]) == ("c7", "ok", 500)
    assert outcome["label_before"] == {"class": "private", "untrusted": False}
    assert outcome["label_after"] == {"class": "private", "untrusted": True}


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence", "decision"),
    [
        (
            "shell",
            '{"command":"ls"}',
            "no grant allows shell; tell the owner that it needs one",
            "refused: grant",
        ),
        ("Recall", '{"query":"x"}', "no tool has this name; look one up with find_tool", "refused: tool"),
        ("recall", "nonsense", "invalid argument shape: ", "refused: arguments"),
    ],
)
def test_a_refusal_is_a_failed_result_and_audited_and_nothing_else(
    bench: BrokerBench, tool: str, arguments: str, sentence: str, decision: str
) -> None:
    found = bench.outcome(bench.ask(tool, arguments))
    assert found.content.startswith(sentence)
    assert (found.ok, found.label, found.session_label) == (False, OWN_WORDS, NEW_SESSION)
    bench.memory.expect_none()
    [line] = bench.lines()
    assert (line["decision"], line["arguments"], line["grant"]) == (decision, None, None)


def test_a_secret_in_the_arguments_is_not_in_the_audit(bench: BrokerBench) -> None:
    question = json.dumps({"question": f"is {TOKEN} mine?"})
    bench.ask("ask_memory", question)
    asked = bench.memory.expect(AskMemory)
    assert TOKEN in asked.args.question
    assert TOKEN not in (bench.folder / "audit.jsonl").read_text()
    assert "[secret-github]" in bench.lines()[0]["arguments"]
    bench.memory.reply(ToolAnswer(ok=False, content="not asked", label=NEW_SESSION))
    bench.kit.settle()


def test_the_arguments_of_a_secret_session_are_not_in_the_audit(bench: BrokerBench) -> None:
    log(bench.folder, START, SAID, result(SECRET))
    bench.answered(bench.ask())
    intent = bench.lines()[0]
    assert (intent["arguments"], len(intent["arguments_sha256"])) == (None, 64)


def test_no_call_runs_when_the_audit_cannot_be_written(kit: Kit, tmp_path: Path) -> None:
    (tmp_path / "audit.jsonl").mkdir()
    bench = broker_bench(kit, tmp_path)
    found = bench.outcome(bench.ask())
    assert not found.ok
    assert found.content.startswith("no call runs, the audit cannot be written: ")
    bench.memory.expect_none()
    (tmp_path / "audit.jsonl").rmdir()
    assert bench.answered(bench.ask()).ok


def test_a_result_whose_outcome_cannot_be_written_is_withheld(kit: Kit, tmp_path: Path) -> None:
    audit, memory = kit.probe("audit"), kit.probe("memory")
    box = kit.start(
        "broker",
        lambda context: make_broker(context, tmp_path, settings=Settings(waits=Waits(broker_audit_s=1.0))),
    )
    reply = box.ask(
        ToolRequest(session="k3f", turn=1, call="c1", tool="recall", arguments='{"query":"key"}'), FOREVER_S
    )
    assert audit.expect(GrantsLoaded).why == "start"
    kit.expect_dead_letter("audit", Why.EXPIRED)  # the first time nobody wrote it down
    audit.reply(1)
    assert audit.expect(Intent).decision == "allowed"
    memory.expect_none()
    audit.reply(2)
    memory.expect(Recall)
    memory.reply(ToolAnswer(ok=True, content="the secret place", label=SECRET))
    assert audit.expect(Outcome).label_after == SECRET
    assert reply.pending
    audit.fail(Refusal("the disk is full"))
    kit.settle()
    found = reply.get(0.0)
    assert (found.ok, found.label, found.session_label) == (False, SECRET, SECRET)
    assert found.content == (
        "the call ran, but its result is withheld, the audit cannot be written: the disk is full"
    )
