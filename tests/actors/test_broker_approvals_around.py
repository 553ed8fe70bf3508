"""Approvals beside all else: for a session, grants that change, stops, bounds, a disk that fails, secrets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from actors.audit import Audit
from actors.base import Late, Why
from bxcore import policy
from bxcore.approvals import MAX_PENDING
from bxcore.grants import Mode
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.broker import ReloadGrants, SessionLabel, ToolRequest
from bxcore.messages.memory import AskMemory
from bxcore.messages.runner import RunTool
from bxcore.records import SessionStart, User
from bxcore.tool_answer import ToolAnswer
from bxcore.waits import Waits
from tests.doubles.broker_bench import LS, BrokerBench, broker_bench, grant, log, result
from tests.kit.kit import Kit

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
NO_OTHER_WAY = "; do not try another way, tell the owner"
ASKS = grant()
DONE = ToolAnswer(ok=True, content="done", label=NEW_SESSION)


@pytest.fixture
def bench(kit: Kit, tmp_path: Path) -> BrokerBench:
    return broker_bench(kit, tmp_path, grants=[ASKS])


def trusted_grant(**changed: Any) -> Any:
    return grant(untrusted=False, **changed)


def test_approved_for_the_session_the_tool_is_not_asked_again_under_that_grant(bench: BrokerBench) -> None:
    first = bench.ask("shell", LS)
    code = bench.asked()
    assert bench.say(code, for_session=True).sentence == f"{code} was approved for the session by the chat"
    bench.ran(first)
    bench.box.call(SessionLabel(session="other"), 1.0)
    bench.ran(bench.ask("shell", '{"command":"pwd"}'))  # though the first result has raised the label
    bench.ran(bench.ask("shell", '{"command":"id"}', turn=2))
    assert len(bench.surface.asked) == 1
    assert bench.lines("intent")[-1]["approver"] == "the chat"
    assert bench.lines("intent")[-1]["approval"] == code
    assert bench.lines("intent")[-1]["for_session"] is True
    bench.ask("shell", LS, session="other")
    bench.asked()
    assert len(bench.surface.asked) == 2


def test_a_yes_for_the_session_answers_no_other_grants_question(kit: Kit, tmp_path: Path) -> None:
    anything = trusted_grant(id="anything", mode=Mode.AUTO)
    touching = trusted_grant(id="touching", commands=("touch",))
    removing = trusted_grant(id="removing", commands=("rm",))
    bench = broker_bench(kit, tmp_path, grants=[anything, touching, removing])
    first = bench.ask("shell", '{"command":"true; touch x"}')
    bench.say(bench.asked(), for_session=True)
    bench.ran(first)
    bench.ran(bench.ask("shell", '{"command":"true; touch y"}'))
    bench.ask("shell", '{"command":"true; rm x"}')
    bench.asked()
    assert [asked.why for asked in bench.surface.asked] == [
        "the grant touching asks each time",
        "the grant removing asks each time",
    ]


def test_what_was_approved_for_the_session_ends_with_its_grant(kit: Kit, tmp_path: Path) -> None:
    bench = broker_bench(kit, tmp_path, grants=[trusted_grant()])
    first = bench.ask("shell", LS)
    bench.say(bench.asked(), for_session=True)
    bench.ran(first)
    bench.ran(bench.ask("shell", LS))
    bench.owners[:] = [trusted_grant(memory_mb=64)]
    bench.box.call(ReloadGrants(), 1.0)
    bench.ask("shell", '{"command":"pwd"}')
    bench.asked()
    assert len(bench.surface.asked) == 2


def test_what_was_approved_for_the_session_ends_when_the_label_rises(kit: Kit, tmp_path: Path) -> None:
    bench = broker_bench(kit, tmp_path, grants=[trusted_grant(max_taint=Level.SECRET)])
    first = bench.ask("shell", LS)
    bench.say(bench.asked(), for_session=True)
    bench.ran(first, label=Label(Level.SECRET, untrusted=False))
    bench.ask("shell", '{"command":"pwd"}')
    bench.asked()
    assert len(bench.surface.asked) == 2


def test_a_stopped_turn_withdraws_its_approval(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS)
    code = bench.asked()
    reply.abandon()
    bench.kit.settle()
    assert bench.pending() == ()
    assert [line["how"] for line in bench.lines("approval_ended")] == ["withdrawn"]
    assert bench.say(code).sentence == f"{code} was withdrawn already"
    bench.runner.expect_none()
    assert bench.surface.closed == [f"{code} was withdrawn"]
    bench.kit.expect_dead_letter("broker", Why.LATE)
    assert bench.answered(bench.ask()).ok


def test_an_answer_that_races_with_a_stop_runs_nothing(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS)
    code = bench.asked()
    held = bench.kit.runtime.mailbox("broker")
    held.bound = 0  # so that the news of the stop does not come
    reply.abandon()
    held.bound = 256
    assert bench.say(code).sentence == f"{code} was withdrawn already"
    bench.runner.expect_none()
    bench.kit.letters.read_all()


def test_a_pending_approval_holds_up_no_other_session_and_its_own_calls_wait(bench: BrokerBench) -> None:
    first = bench.ask("shell", LS)
    behind = bench.ask("recall", '{"query":"b"}', within_s=120.0)
    code = bench.asked()
    assert bench.answered(bench.ask(session="other")).ok
    assert behind.deadline_s == 720.0, "who waits behind it waits as long"
    later = bench.ask("recall", '{"query":"c"}', within_s=120.0)
    bench.kit.settle()
    assert later.deadline_s == 720.0
    bench.kit.advance(300.0)
    assert behind.pending
    bench.say(code)
    bench.ran(first)
    assert bench.answered(behind).ok
    assert bench.answered(later).ok


def test_only_so_many_calls_wait_for_the_owner(bench: BrokerBench) -> None:
    for number in range(MAX_PENDING):
        bench.ask("shell", LS, session=f"s{number}")
    bench.kit.settle()
    full = bench.outcome(bench.ask("shell", LS, session="one-more"))
    assert full.content.startswith(f"{MAX_PENDING} calls wait for the owner already")
    assert full.content.endswith(NO_OTHER_WAY)
    assert bench.lines()[-1]["decision"] == "refused: approval not possible"
    codes = {view.code for view in bench.pending()}
    assert len(codes) == MAX_PENDING
    bench.say(bench.asked(), approve=False)
    bench.ask("shell", LS, session="one-more", call="again")
    assert bench.asked() not in codes


def test_a_question_beside_a_call_of_the_session_is_put_once_that_one_is_over(bench: BrokerBench) -> None:
    """What a call side by side raises is in the label that the owner is shown."""
    question = bench.ask("ask_memory", '{"question":"a"}')
    bench.ask("shell", LS)
    bench.kit.settle()
    assert bench.surface.asked == []
    bench.memory.expect(AskMemory)
    bench.memory.reply(ToolAnswer(ok=True, content="a", label=UNTRUSTED))
    assert bench.outcome(question).ok
    bench.asked()
    assert bench.surface.asked[0].label == UNTRUSTED


@pytest.mark.parametrize(
    ("owners", "sentence"),
    [
        ([grant(memory_mb=64)], "its grant changed meanwhile, and it did not run"),
        ([grant(mode=Mode.AUTO)], "its grant changed meanwhile, and it did not run"),
        ([], "no grant allows shell"),
        ([ASKS, grant(id="never", mode=Mode.DENY)], "the owner's grants deny this shell call"),
    ],
)
def test_grants_that_change_while_it_is_pending_let_nothing_run(
    bench: BrokerBench, owners: list[Any], sentence: str
) -> None:
    reply = bench.ask("shell", LS)
    code = bench.asked()
    bench.owners[:] = owners
    bench.box.call(ReloadGrants(), 1.0)
    assert bench.say(code).taken
    assert sentence in bench.outcome(reply).content
    bench.runner.expect_none()
    assert bench.lines()[-1]["decision"].startswith("refused")


def test_another_grant_that_comes_while_it_is_pending_changes_nothing(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS)
    code = bench.asked()
    bench.owners.append(grant("read_file", id="another"))
    bench.box.call(ReloadGrants(), 1.0)
    bench.say(code)
    assert bench.ran(reply).ok


def test_an_answer_that_cannot_be_written_is_not_taken(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS)
    code = bench.asked()
    bench.kit.runtime.stop("audit")
    found = bench.say(code)
    assert (found.taken, found.known) == (False, True)
    assert found.sentence.startswith(f"{code} waits still, the audit cannot be written: ")
    bench.runner.expect_none()
    assert reply.pending
    bench.kit.letters.read_all()
    bench.kit.runtime.mailbox("audit").reopen()
    path = bench.folder / "audit.jsonl"
    bench.kit.start("audit", lambda context: Audit(context, path=path, now=lambda: "later"))
    assert [view.code for view in bench.pending()] == [code]
    assert bench.say(code).taken
    assert bench.ran(reply).ok


def test_nothing_is_asked_that_cannot_be_written(kit: Kit, tmp_path: Path) -> None:
    (tmp_path / "approvals.jsonl").mkdir()
    bench = broker_bench(kit, tmp_path, grants=[ASKS])
    found = bench.outcome(bench.ask("shell", LS))
    assert found.content.startswith("the owner cannot be asked, ")
    assert bench.surface.news == []
    assert bench.answered(bench.ask()).ok, "what need not be asked runs"
    (tmp_path / "approvals.jsonl").rmdir()
    bench.ask("shell", '{"command":"b"}')
    assert bench.asked()


def test_an_approval_ends_even_when_its_end_cannot_be_written(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS)
    bench.asked()
    bench.kit.runtime.stop("audit")
    bench.kit.advance(601.0)
    assert "did not answer in time" in bench.outcome(reply).content
    bench.kit.letters.read_all()


def test_a_secret_in_the_call_is_in_no_approval(bench: BrokerBench) -> None:
    token = "ghp_" + "a1B2" * 9
    bench.ask("shell", f'{{"command":"curl -H {token}"}}')
    bench.asked()
    assert "[secret-github]" in bench.surface.asked[0].shown
    for name in ("audit.jsonl", "approvals.jsonl"):
        assert token not in (bench.folder / name).read_text()


def test_the_arguments_of_a_secret_session_are_not_in_the_audit_of_an_approval(
    kit: Kit, tmp_path: Path
) -> None:
    bench = broker_bench(kit, tmp_path, grants=[grant(max_taint=Level.SECRET)])
    log(tmp_path, SessionStart(baseline=""), User(text="hi", speaker="owner"))
    log(tmp_path, result(Label(Level.SECRET, untrusted=False)))
    bench.ask("shell", LS)
    bench.asked()
    (opened,) = bench.lines("approval_opened")
    assert opened["arguments"] is None
    assert opened["arguments_sha256"] == policy.sha256('{"command":"ls","timeout_s":60}')


def test_a_call_that_nobody_waits_for_can_be_approved_all_the_same(bench: BrokerBench) -> None:
    request = ToolRequest(
        session="k3f", turn=1, call="c1", tool="shell", arguments=LS, listener=bench.surface
    )
    bench.box.tell(request)
    bench.say(bench.asked())
    bench.runner.expect(RunTool)
    bench.runner.reply(DONE)
    bench.kit.settle()
    assert bench.lines("outcome")[0]["outcome"] == "ok"


def test_a_stop_after_the_approval_ends_the_run(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS)
    bench.say(bench.asked())
    bench.runner.expect(RunTool)
    reply.abandon()
    bench.kit.settle()
    bench.runner.reply(DONE)
    assert bench.lines("outcome")[0]["outcome"] == "unknown"
    bench.kit.letters.read_all()
    assert reply.peek() == Late()


def test_the_calls_of_the_turn_are_counted_once_for_a_call_that_was_asked(kit: Kit, tmp_path: Path) -> None:
    bench = broker_bench(kit, tmp_path, grants=[ASKS], calls_per_turn=2)
    for command in ("a", "b"):
        reply = bench.ask("shell", f'{{"command":"{command}"}}')
        bench.say(bench.asked())
        assert bench.ran(reply).ok
    assert "the most a turn may" in bench.outcome(bench.ask("shell", LS)).content


def test_a_shorter_wait_of_the_loop_is_what_the_asker_gets_on_top(kit: Kit, tmp_path: Path) -> None:
    bench = broker_bench(kit, tmp_path, grants=[ASKS], waits=Waits(loop_call_s=7.0), approval_s=10.0)
    reply = bench.ask("shell", LS, within_s=7.0)
    kit.settle()
    assert reply.deadline_s == 17.0


def test_a_stop_whose_news_had_no_room_holds_up_no_later_call_of_its_session(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS)
    bench.asked()
    bench.box.bound = 0
    reply.abandon()
    bench.box.bound = 256
    assert bench.answered(bench.ask(turn=2)).ok
    bench.kit.letters.read_all()
