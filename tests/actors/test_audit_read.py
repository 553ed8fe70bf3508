"""What a real broker has audited, read back as calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.audit_chain import Head
from bxcore.audit_view import CallView
from bxcore.labels import Label, Level
from bxio.audit_reader import find, tail, verify
from tests.doubles.broker_bench import LS, BrokerBench, broker_bench, grant
from tests.kit.kit import Kit

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)


@pytest.fixture
def bench(kit: Kit, tmp_path: Path) -> BrokerBench:
    return broker_bench(kit, tmp_path, grants=[grant()])


def last(bench: BrokerBench) -> CallView:
    bench.kit.settle()
    [view] = tail(bench.folder / "audit.jsonl", 1)
    return view


def test_a_call_runs_until_its_outcome_and_is_unknown_when_its_broker_has_gone(bench: BrokerBench) -> None:
    bench.answered(bench.ask(call="t1c1"), label=UNTRUSTED)
    ended = last(bench)
    assert (ended.outcome, ended.grant, ended.label_after) == ("ok", "builtin-recall", UNTRUSTED)
    lost = bench.ask(call="t1c2")
    assert last(bench).outcome == "running"
    bench.restart()
    lost.abandon()
    view = last(bench)
    assert (view.call, view.outcome) == ("t1c2", "unknown")
    assert find(bench.folder / "audit.jsonl", view.number) == view


def test_an_approved_call_is_one_line_from_the_question_to_the_outcome(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS, call="t1c1")
    code = bench.asked()
    assert last(bench).outcome == "pending"
    bench.say(code, by="bxctl")
    assert last(bench).outcome == "running"
    bench.ran(reply)
    view = last(bench)
    assert (view.outcome, view.decision, view.approver) == ("ok", "allowed", "bxctl")
    assert view.approval is not None
    assert (view.approval.code, view.approval.how, view.approval.by) == (code, "approved", "bxctl")
    assert len(view.numbers) == 4


def test_a_denied_call_did_not_run_and_says_who_denied_it(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS, call="t1c1")
    bench.say(bench.asked(), approve=False)
    bench.outcome(reply)
    view = last(bench)
    assert view.outcome in {"refused", "did not run"}
    assert view.approver == "the chat"
    assert isinstance(verify(bench.folder / "audit.jsonl"), Head)
