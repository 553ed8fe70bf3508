from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from actors import broker_sessions
from actors.base import Crashed, Late, Refusal, Restarting, TimedOut, Why
from bxcore.labels import NEW_SESSION, OWN_WORDS, Label, Level
from bxcore.messages.broker import SessionLabel, ToolOutcome, ToolRequest
from bxcore.messages.memory import AskMemory, EditMemory, Recall
from bxcore.records import SessionStart, User
from bxcore.tool_answer import EFFECT_UNKNOWN, ToolAnswer
from bxcore.waits import Waits
from tests.doubles.broker_bench import BrokerBench, broker_bench, log, result
from tests.kit.kit import Kit

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
SECRET = Label(Level.SECRET, untrusted=False)
START = SessionStart(baseline="")
SAID = User(text="where is the key?", speaker="owner")


@pytest.fixture
def bench(kit: Kit, tmp_path: Path) -> BrokerBench:
    return broker_bench(kit, tmp_path)


def test_a_recall_runs_and_goes_back_with_both_labels(bench: BrokerBench) -> None:
    reply = bench.ask(call="c7")
    asked = bench.memory.expect(Recall)
    assert (asked.args.query, asked.args.k, asked.session, asked.trusted_only) == ("key", 5, "k3f", False)
    bench.memory.reply(ToolAnswer(ok=True, content="[1] memory · notes · private", label=UNTRUSTED))
    assert bench.outcome(reply) == ToolOutcome(
        call="c7",
        tool="recall",
        arguments='{"query":"key","k":5}',
        ok=True,
        content="[1] memory · notes · private",
        label=UNTRUSTED,
        session_label=UNTRUSTED,
        audited=3,
    )


def test_an_edit_is_made_on_the_sessions_label(bench: BrokerBench) -> None:
    log(bench.folder, START, SAID, result(UNTRUSTED))
    reply = bench.ask("memory", '{"action":"add","file":"notes","text":"tea"}', turn=1)
    edit = bench.memory.expect(EditMemory)
    assert (edit.session, edit.turn, edit.state, edit.args.text) == ("k3f", 1, UNTRUSTED, "tea")
    bench.memory.reply(ToolAnswer(ok=True, content="added", label=NEW_SESSION))
    assert bench.outcome(reply).session_label == UNTRUSTED


def test_the_grants_floor_is_the_least_label_of_a_result(bench: BrokerBench) -> None:
    found = bench.answered(bench.ask(), label=OWN_WORDS)
    assert found.label == NEW_SESSION


def test_the_label_never_falls_and_is_the_sessions_own(bench: BrokerBench) -> None:
    assert bench.answered(bench.ask(), label=SECRET).session_label == SECRET
    assert bench.answered(bench.ask(), label=UNTRUSTED).session_label == Label(Level.SECRET, untrusted=True)
    assert bench.answered(bench.ask(session="other")).session_label == NEW_SESSION
    assert bench.box.call(SessionLabel(session="k3f"), 1.0) == Label(Level.SECRET, untrusted=True)


def test_the_label_is_folded_from_the_log_after_a_crash(bench: BrokerBench) -> None:
    log(bench.folder, START, SAID, result(SECRET), result(UNTRUSTED))
    assert bench.box.call(SessionLabel(session="k3f"), 1.0) == Label(Level.SECRET, untrusted=True)
    assert bench.box.call(SessionLabel(session="new"), 1.0) == NEW_SESSION


def test_a_name_that_is_no_sessions_is_refused(bench: BrokerBench) -> None:
    with pytest.raises(Refusal, match="a session's name has"):
        bench.ask(session="../x").get(1.0)
    with pytest.raises(Refusal, match="a session's name has"):
        bench.box.call(SessionLabel(session="../x"), 1.0)


def test_refused_arguments_come_back_as_they_were_written(bench: BrokerBench) -> None:
    assert bench.outcome(bench.ask("recall", '{"q":"\ud800"}')).arguments == '{"q":"\ud800"}'


def test_a_long_result_is_cut_in_the_middle_and_said(bench: BrokerBench) -> None:
    found = bench.answered(bench.ask(), content="x" * 20_000)
    assert len(found.content) <= 16_000
    assert "characters are cut here" in found.content


ADD = '{"action":"add","file":"notes","text":"tea"}'
DONE = ToolAnswer(ok=True, content="added", label=NEW_SESSION)


def test_a_recall_beside_a_hanging_question_of_its_session_is_answered_at_once(bench: BrokerBench) -> None:
    first = bench.ask("ask_memory", '{"question":"a"}')
    second = bench.ask("recall", '{"query":"b"}')
    bench.memory.expect(AskMemory)
    assert bench.answered(second, label=UNTRUSTED).session_label == UNTRUSTED
    assert first.pending
    bench.kit.advance(170.0)
    assert bench.outcome(first).session_label == UNTRUSTED


def test_an_edit_goes_alone_and_what_came_behind_it_waits_for_it(bench: BrokerBench) -> None:
    reads = [bench.ask("recall", '{"query":"a"}'), bench.ask("recall", '{"query":"b"}')]
    edit, behind = bench.ask("memory", ADD), bench.ask("recall", '{"query":"c"}')
    bench.memory.expect(Recall)
    bench.memory.reply(ToolAnswer(ok=True, content="a", label=NEW_SESSION))
    bench.answered(reads[1], label=UNTRUSTED)
    assert reads[0].peek() != Late()
    assert bench.memory.expect(EditMemory).state == UNTRUSTED
    bench.memory.expect_none()
    bench.memory.reply(DONE)
    assert bench.outcome(edit).ok
    assert bench.answered(behind).ok


def test_a_question_that_is_given_up_is_given_up_in_the_memory_too(bench: BrokerBench) -> None:
    asked = bench.ask("ask_memory", '{"question":"a"}')
    edit = bench.ask("memory", ADD)
    bench.memory.expect(AskMemory)
    asked.abandon()
    bench.memory.expect(EditMemory)
    bench.memory.reply(DONE)
    assert bench.outcome(edit).ok
    assert [line["outcome"] for line in bench.lines() if "outcome" in line] == ["unknown", "ok"]
    bench.kit.expect_dead_letter("broker", Why.LATE)


def test_an_edit_that_is_given_up_is_seen_through_and_written_down(bench: BrokerBench) -> None:
    edit = bench.ask("memory", ADD)
    bench.memory.expect(EditMemory)
    edit.abandon()
    bench.memory.reply(DONE)
    bench.kit.settle()
    assert [line["outcome"] for line in bench.lines() if "outcome" in line] == ["ok"]
    bench.kit.expect_dead_letter("broker", Why.LATE)


def test_the_calls_of_a_session_go_in_order_and_other_sessions_go_on(bench: BrokerBench) -> None:
    first = bench.ask("ask_memory", '{"question":"a"}')
    second = bench.ask("memory", ADD)
    bench.memory.expect(AskMemory)
    other = bench.ask("recall", '{"query":"c"}', session="other")
    assert bench.memory.expect(Recall).args.query == "c"
    bench.memory.reply(ToolAnswer(ok=True, content="at once", label=NEW_SESSION))
    assert bench.outcome(other).content == "at once"
    assert first.pending
    assert second.pending
    bench.kit.advance(170.0)
    assert bench.outcome(first).content == f"ask_memory: the memory gave no answer in 170 s; {EFFECT_UNKNOWN}"
    bench.memory.expect(EditMemory)
    bench.memory.reply(DONE)
    assert bench.outcome(second).content == "added"
    bench.memory.expect_none()


@pytest.mark.parametrize(
    ("tool", "arguments", "wait_s"),
    [
        ("recall", '{"query":"key"}', 30.0),
        ("memory", '{"action":"remove","file":"notes","entry":"x"}', 30.0),
        ("ask_memory", '{"question":"x"}', 170.0),
    ],
)
def test_each_tool_has_its_wait(bench: BrokerBench, tool: str, arguments: str, wait_s: float) -> None:
    reply = bench.ask(tool, arguments)
    bench.kit.advance(wait_s - 0.1)
    assert reply.pending
    bench.kit.advance(0.2)
    found = bench.outcome(reply)
    assert found.content == f"{tool}: the memory gave no answer in {wait_s:g} s; {EFFECT_UNKNOWN}"
    assert (found.ok, found.label) == (False, NEW_SESSION)
    assert bench.lines()[1]["outcome"] == "unknown"


def test_a_test_hands_in_shorter_waits(kit: Kit, tmp_path: Path) -> None:
    bench = broker_bench(kit, tmp_path, waits=Waits(broker_memory_s=0.25))
    reply = bench.ask()
    kit.advance(0.3)
    assert bench.outcome(reply).content == f"recall: the memory gave no answer in 0.25 s; {EFFECT_UNKNOWN}"


def test_a_late_answer_of_the_memory_is_a_dead_letter_and_changes_nothing(bench: BrokerBench) -> None:
    reply = bench.ask()
    bench.memory.expect(Recall)
    bench.kit.advance(31.0)
    before = bench.outcome(reply).session_label
    bench.memory.reply(ToolAnswer(ok=True, content="late", label=SECRET))
    assert bench.kit.expect_dead_letter("memory", Why.LATE).type_name == "ToolAnswer"
    assert bench.box.call(SessionLabel(session="k3f"), 1.0) == before


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (Restarting("memory"), f"memory was restarted before it answered; {EFFECT_UNKNOWN}"),
        (Crashed("memory", "KeyError"), f"memory crashed on this request (KeyError); {EFFECT_UNKNOWN}"),
        (Refusal("the file is full"), "the file is full"),
    ],
)
def test_a_memory_that_fails_is_one_clear_failed_result(
    bench: BrokerBench, error: Any, sentence: str
) -> None:
    reply = bench.ask()
    bench.memory.expect(Recall)
    bench.memory.fail(error)
    found = bench.outcome(reply)
    assert (found.ok, found.content, found.label) == (False, f"recall: {sentence}", NEW_SESSION)
    assert [line["kind"] for line in bench.lines()] == ["intent", "outcome"]
    assert bench.answered(bench.ask()).ok


def test_a_memory_that_is_stopped_or_full_is_one_clear_failed_result(kit: Kit, tmp_path: Path) -> None:
    bench = broker_bench(kit, tmp_path)
    bench.memory.box.bound = 1
    first = bench.ask("recall", '{"query":"a"}', session="a")
    busy = bench.ask("recall", '{"query":"b"}', session="b")
    assert "is busy" in bench.outcome(busy).content
    kit.expect_dead_letter("memory", Why.BUSY)
    bench.memory.close()
    assert bench.outcome(first).content == f"recall: memory is stopped and will not answer; {EFFECT_UNKNOWN}"
    kit.expect_dead_letter("memory", Why.DEAD)
    assert "is stopped" in bench.outcome(bench.ask(session="c")).content
    kit.expect_dead_letter("memory", Why.DEAD)


def test_the_thirty_first_call_of_a_turn_is_refused_and_the_next_turn_is_free(
    kit: Kit, tmp_path: Path
) -> None:
    bench = broker_bench(kit, tmp_path, calls_per_turn=3)
    for number in range(3):
        assert bench.answered(bench.ask("recall", f'{{"query":"q{number}"}}')).ok
    refused = bench.outcome(bench.ask())
    assert refused.content == "this turn has made 3 calls, the most a turn may; answer with what you have"
    assert bench.answered(bench.ask(turn=2)).ok


def test_the_same_call_with_the_same_result_is_refused_the_third_time(bench: BrokerBench) -> None:
    for _ in range(2):
        assert bench.answered(bench.ask(), content="same").ok
    third = bench.outcome(bench.ask("recall", '{"k":5,"query":"key"}'))
    assert not third.ok
    assert "gave the same result twice" in third.content
    assert bench.lines()[-1]["decision"] == "refused: same call again"
    assert bench.answered(bench.ask("recall", '{"query":"other"}'), content="same").ok


def test_the_calls_of_a_turn_are_counted_over_a_crash_of_the_broker(kit: Kit, tmp_path: Path) -> None:
    log(tmp_path, START, SAID, result(NEW_SESSION), result(NEW_SESSION))
    bench = broker_bench(kit, tmp_path, calls_per_turn=3)
    assert bench.answered(bench.ask()).ok
    assert "the most a turn may" in bench.outcome(bench.ask()).content


def test_a_call_whose_asker_has_gone_is_not_run(bench: BrokerBench) -> None:
    first = bench.ask("ask_memory", '{"question":"a"}')
    second = bench.ask("memory", ADD, within_s=5.0)
    bench.memory.expect(AskMemory)
    bench.kit.advance(6.0)
    with pytest.raises(TimedOut):
        second.get(0.0)
    bench.memory.reply(ToolAnswer(ok=True, content="a", label=NEW_SESSION))
    assert bench.outcome(first).ok
    bench.memory.expect_none()
    assert len(bench.lines()) == 2


def test_a_call_that_nobody_waits_for_raises_the_label_all_the_same(bench: BrokerBench) -> None:
    bench.box.tell(ToolRequest(session="k3f", turn=1, call="c1", tool="recall", arguments='{"query":"a"}'))
    bench.memory.expect(Recall)
    bench.memory.reply(ToolAnswer(ok=True, content="a", label=SECRET))
    bench.kit.settle()
    assert bench.box.call(SessionLabel(session="k3f"), 1.0) == SECRET
    bench.box.tell(ToolRequest(session="k3f", turn=1, call="c2", tool="nonsense", arguments=""))
    assert bench.answered(bench.ask()).ok


def test_a_session_may_have_only_so_many_calls_waiting(
    bench: BrokerBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker_sessions, "WAITING_CALLS", 1)
    replies = [bench.ask("memory", ADD.replace("tea", f"{number}")) for number in range(3)]
    assert "too many calls waiting" in bench.outcome(replies[2]).content
    for reply in replies[:2]:
        bench.memory.expect(EditMemory)
        bench.memory.reply(DONE)
        assert bench.outcome(reply).ok


def test_idle_sessions_are_forgotten_and_folded_again(
    bench: BrokerBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker_sessions, "KEPT_SESSIONS", 2)
    running = bench.ask(session="busy")
    bench.memory.expect(Recall)
    log(bench.folder, START, SAID, result(SECRET))
    for session in ("k3f", "b", "c", "d"):
        bench.box.call(SessionLabel(session=session), 1.0)
    log(bench.folder, result(UNTRUSTED))
    assert bench.box.call(SessionLabel(session="k3f"), 1.0) == Label(Level.SECRET, untrusted=True)
    bench.memory.reply(ToolAnswer(ok=True, content="a", label=NEW_SESSION))
    assert bench.outcome(running).ok


def test_a_damaged_log_is_a_refusal(bench: BrokerBench) -> None:
    log(bench.folder, START, SAID)
    path = bench.folder / "sessions" / "k3f" / "0.jsonl"
    path.write_bytes(b"[]\n" + path.read_bytes())
    with pytest.raises(Refusal):
        bench.ask().get(1.0)
