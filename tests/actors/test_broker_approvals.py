"""A call that must be asked: what is shown, who answers, and what the model hears."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bxcore.address import Delivery
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.broker import ApprovalAsked
from bxcore.messages.runner import RunTool
from bxcore.tool_answer import ToolAnswer
from tests.doubles.broker_bench import LS, BrokerBench, Surface, broker_bench, grant
from tests.kit.kit import Kit

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
NO_OTHER_WAY = "; do not try another way, tell the owner"
ASKS = grant()
DONE = ToolAnswer(ok=True, content="done", label=NEW_SESSION)


@pytest.fixture
def bench(kit: Kit, tmp_path: Path) -> BrokerBench:
    return broker_bench(kit, tmp_path, grants=[ASKS])


def kinds(bench: BrokerBench) -> list[str]:
    return [line["kind"] for line in bench.lines()]


def test_a_call_that_must_be_asked_waits_and_runs_once_it_is_approved(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS, call="t1c1")
    code = bench.asked()
    bench.runner.expect_none()
    assert reply.pending
    assert bench.say(code).sentence == f"{code} was approved by the chat"
    run = bench.runner.expect(RunTool)
    assert (run.session, run.call, run.grant, run.limit_s) == ("k3f", "t1c1", ASKS, 60.0)
    bench.runner.reply(DONE)
    found = bench.outcome(reply)
    assert (found.ok, found.content, found.label) == (True, "done", UNTRUSTED)
    assert kinds(bench) == ["approval_opened", "approval_ended", "intent", "outcome"]
    assert bench.surface.closed == [f"{code} was approved by the chat"]


def test_what_the_person_sees_is_the_call_the_label_and_why(bench: BrokerBench) -> None:
    bench.ask("shell", '{"command":"ls \u200b"}', call="t1c1", turn=3)
    bench.asked()
    (view,) = bench.surface.asked
    assert view.shown == 'shell {"command":"ls \\u{200b}","timeout_s":60}'
    assert (view.session, view.turn, view.call, view.tool) == ("k3f", 3, "t1c1", "shell")
    assert (view.label, view.grant, view.why) == (NEW_SESSION, "house", "the grant house asks each time")
    assert view.left_s == 600.0
    bench.kit.advance(100.0)
    (listed,) = bench.pending()
    assert listed.left_s == pytest.approx(500.0)


def test_the_whole_of_a_long_call_is_asked_listed_and_outlives_the_broker(bench: BrokerBench) -> None:
    command = f"ls {'a' * 2000}; rm -rf /home {'b' * 2000}"
    bench.ask("shell", json.dumps({"command": command}), call="t1c1")
    bench.asked()
    (view,) = bench.surface.asked
    assert "rm -rf" not in view.shown
    assert view.whole == f'shell {{"command":"{command}","timeout_s":60}}'
    assert view.hidden == len(view.whole) - 1500
    bench.restart()
    (listed,) = bench.pending()
    assert (listed.whole, listed.hidden) == (view.whole, view.hidden)


def test_the_question_is_on_disk_before_anybody_is_told(kit: Kit, tmp_path: Path) -> None:
    bench = broker_bench(kit, tmp_path, grants=[ASKS])
    on_disk: list[tuple[int, bool]] = []

    class Looks(Surface):
        def tell(self, message: Any, *, deadline_s: float | None = None) -> Delivery:
            journal = (tmp_path / "approvals.jsonl").read_text()
            kind = "approval_opened" if isinstance(message, ApprovalAsked) else "approval_ended"
            on_disk.append((len(bench.lines(kind)), kind.removeprefix("approval_") in journal))
            return super().tell(message, deadline_s=deadline_s)

    surface = bench.surface = Looks()
    bench.ask("shell", LS)
    bench.say(bench.asked())
    assert on_disk == [(1, True), (1, True)]
    assert len(surface.news) == 2


def test_the_intent_names_the_code_and_who_approved(bench: BrokerBench) -> None:
    bench.ask("shell", LS)
    code = bench.asked()
    bench.say(code, by="bxctl")
    bench.kit.settle()
    (intent,) = bench.lines("intent")
    assert (intent["approval"], intent["approver"], intent["decision"]) == (code, "bxctl", "allowed")
    (ended,) = bench.lines("approval_ended")
    assert (ended["how"], ended["by"], ended["code"]) == ("approved", "bxctl", code)


def test_a_denied_call_does_not_run_and_the_same_one_is_not_asked_again_in_that_turn(
    bench: BrokerBench,
) -> None:
    reply = bench.ask("shell", LS)
    code = bench.asked()
    assert bench.say(code, approve=False).sentence == f"{code} was denied by the chat"
    assert bench.outcome(reply).content == "the owner denied this call, and it did not run" + NO_OTHER_WAY
    again = bench.outcome(bench.ask("shell", '{"timeout_s":60, "command":"ls"}'))
    assert "has denied this same call in this turn" in again.content
    assert bench.lines()[-1]["decision"] == "refused: denied before"
    assert len(bench.surface.asked) == 1
    bench.runner.expect_none()
    bench.ask("shell", '{"command":"ls -a"}')
    bench.asked()
    assert len(bench.surface.asked) == 2
    bench.say(bench.asked(), approve=False)
    bench.ask("shell", LS, turn=2)
    bench.asked()
    assert len(bench.surface.asked) == 3


def test_an_approval_expires_on_the_brokers_clock(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS, within_s=120.0)
    code = bench.asked()
    bench.kit.advance(599.9)
    assert reply.pending
    bench.kit.advance(0.2)
    assert bench.outcome(reply).content == (
        "the owner was asked and did not answer in time, and the call did not run" + NO_OTHER_WAY
    )
    late = bench.say(code)
    assert (late.taken, late.known, late.sentence) == (False, True, f"{code} has expired already")
    assert bench.surface.closed == [f"{code} has expired"]
    assert [line["how"] for line in bench.lines("approval_ended")] == ["expired"]
    bench.runner.expect_none()


def test_the_askers_wait_is_extended_to_the_expiry_and_its_own_wait(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS, within_s=120.0)
    bench.asked()
    assert reply.deadline_s == 600.0 + 120.0


def test_the_expiry_is_what_the_owner_set(kit: Kit, tmp_path: Path) -> None:
    bench = broker_bench(kit, tmp_path, grants=[ASKS], approval_s=5.0)
    reply = bench.ask("shell", LS)
    kit.advance(5.1)
    assert "did not answer in time" in bench.outcome(reply).content


@pytest.mark.parametrize("delivery", [Delivery.BUSY, Delivery.CLOSED, None])
def test_what_nobody_can_show_is_denied_at_once_and_said(
    bench: BrokerBench, delivery: Delivery | None
) -> None:
    listener = None if delivery is None else Surface(delivery=delivery)
    found = bench.outcome(bench.ask("shell", LS, listener=listener))
    assert found.content == "nobody could put this call to the owner, and it did not run" + NO_OTHER_WAY
    assert [line["how"] for line in bench.lines("approval_ended")] == ["undeliverable"]
    assert bench.pending() == ()
    bench.runner.expect_none()


def test_denied_expired_and_undeliverable_are_three_sentences_that_forbid_another_way(
    bench: BrokerBench,
) -> None:
    denied = bench.ask("shell", LS)
    bench.say(bench.asked(), approve=False)
    expired = bench.ask("shell", '{"command":"b"}')
    bench.kit.advance(601.0)
    undeliverable = bench.ask("shell", '{"command":"c"}', listener=None)
    said = {bench.outcome(reply).content for reply in (denied, expired, undeliverable)}
    assert len(said) == 3
    assert all(sentence.endswith(NO_OTHER_WAY) for sentence in said)


def test_the_first_answer_wins_and_the_second_hears_who_gave_it(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS)
    code = bench.asked()
    assert bench.say(code, approve=False, by="bxctl").taken
    second = bench.say(code, by="the chat")
    assert (second.taken, second.known, second.sentence) == (
        False,
        True,
        f"{code} was denied by bxctl already",
    )
    assert "denied" in bench.outcome(reply).content
    assert len(bench.lines("approval_ended")) == 1


def test_an_approved_call_is_not_run_by_a_second_approval(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS)
    code = bench.asked()
    bench.say(code)
    assert bench.say(code).sentence == f"{code} was approved by the chat already"
    bench.ran(reply)
    bench.say(code)
    bench.runner.expect_none()


def test_a_code_is_read_as_a_person_types_it(bench: BrokerBench) -> None:
    bench.ask("shell", LS)
    assert bench.say(f" {bench.asked().upper()} ").taken


def test_a_wrong_code_changes_nothing(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS)
    code = bench.asked()
    wrong = "z9" if code != "z9" else "z8"
    found = bench.say(wrong)
    assert (found.taken, found.known) == (False, False)
    assert found.sentence == f"no call waits for an approval under {wrong}; look with bxctl approvals"
    assert reply.pending
    assert [view.code for view in bench.pending()] == [code]
