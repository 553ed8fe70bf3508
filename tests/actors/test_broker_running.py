"""A call that runs: intent, effect, outcome, answer, in that order and each on disk before the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.audit import Audit
from bxcore.grants import Mode
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.runner import RunTool
from bxcore.tool_answer import ToolAnswer
from tests.doubles.broker_bench import LS, BrokerBench, broker_bench, grant
from tests.kit.kit import Kit

SECRET = Label(Level.SECRET, untrusted=False)


@pytest.fixture
def bench(kit: Kit, tmp_path: Path) -> BrokerBench:
    return broker_bench(kit, tmp_path, grants=[grant(mode=Mode.AUTO)])


def test_the_intent_is_on_disk_before_the_order_and_the_outcome_before_the_answer(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS, call="t1c1")
    bench.runner.expect(RunTool)
    assert [(line["kind"], line["call"]) for line in bench.lines()] == [("intent", "t1c1")]
    bench.kit.advance(1.5)
    bench.runner.reply(ToolAnswer(ok=True, content="x", label=SECRET))
    bench.outcome(reply)
    outcome = bench.lines("outcome")[0]
    assert (outcome["outcome"], outcome["duration_ms"]) == ("ok", 1500)
    assert outcome["label_before"] == {"class": "private", "untrusted": False}
    assert outcome["label_after"] == {"class": "secret", "untrusted": True}


def test_no_order_goes_out_when_the_intent_cannot_be_written(bench: BrokerBench) -> None:
    bench.kit.runtime.stop("audit")
    found = bench.outcome(bench.ask("shell", LS))
    assert found.content.startswith("no call runs, the audit cannot be written: ")
    assert (found.ok, found.audited) == (False, None)
    bench.runner.expect_none()
    bench.kit.letters.read_all()


def test_a_result_whose_outcome_cannot_be_written_is_withheld_and_raises_the_label(
    bench: BrokerBench,
) -> None:
    reply = bench.ask("shell", LS)
    bench.runner.expect(RunTool)
    bench.kit.runtime.stop("audit")
    bench.runner.reply(ToolAnswer(ok=True, content="the secret place", label=SECRET))
    found = bench.outcome(reply)
    assert found.content.startswith("the call ran, but its result is withheld, the audit cannot be written: ")
    assert (found.ok, found.whole, found.session_label.level) == (False, None, Level.SECRET)
    bench.kit.letters.read_all()


def test_an_audit_that_comes_back_lets_calls_run_again(bench: BrokerBench) -> None:
    bench.kit.runtime.stop("audit")
    bench.outcome(bench.ask("shell", LS))
    bench.kit.letters.read_all()
    bench.kit.runtime.mailbox("audit").reopen()
    path = bench.folder / "audit.jsonl"
    bench.kit.start("audit", lambda context: Audit(context, path=path, now=lambda: "later"))
    assert bench.ran(bench.ask("shell", LS), label=NEW_SESSION).ok
