from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from actors import broker
from actors.audit import Audit
from actors.base import Crashed, Mailbox, Refusal, Reply, Restarting, TimedOut, Why
from actors.broker import Broker, Settings
from bxcore.grants import BUILT_IN
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.audit import Intent, Outcome
from bxcore.messages.broker import SessionLabel, ToolOutcome, ToolRequest
from bxcore.messages.memory import AskMemory, EditMemory, MemoryAnswer, Recall
from bxcore.records import Record, SessionStart, ToolResult, User
from bxcore.waits import Waits
from bxio.session_store import SessionStore
from tests.kit.kit import Kit
from tests.kit.probe import Probe

OWN_WORDS = Label(Level.PUBLIC, untrusted=False)
UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
SECRET = Label(Level.SECRET, untrusted=False)
START = SessionStart(baseline="")
SAID = User(text="where is the key?", speaker="owner")
TOKEN = "ghp_" + "a1B2" * 9
FOREVER_S = 1000.0


@dataclass
class Bench:
    """A broker between a memory that the test plays and the real audit, on a log folder of its own."""

    kit: Kit
    folder: Path
    memory: Probe
    audit: Mailbox
    box: Mailbox
    _number: int = field(default=0)

    def ask(self, tool: str = "recall", arguments: str = '{"query":"key"}', **changed: Any) -> Reply:
        self._number += 1
        request = ToolRequest(
            session=changed.get("session", "k3f"),
            turn=changed.get("turn", 1),
            call=changed.get("call", f"c{self._number}"),
            tool=tool,
            arguments=arguments,
        )
        return self.box.ask(request, self.kit.now() + changed.get("within_s", FOREVER_S))

    def outcome(self, reply: Reply) -> ToolOutcome:
        self.kit.settle()
        found = reply.get(0.0)
        assert isinstance(found, ToolOutcome)
        return found

    def answered(self, reply: Reply, content: str = "found", label: Label = NEW_SESSION) -> ToolOutcome:
        """Let the memory answer the call, and give what came of it."""
        self.memory.expect(Recall)
        self.memory.reply(MemoryAnswer(ok=True, content=content, label=label))
        return self.outcome(reply)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "audit.jsonl").read_text().splitlines()]


@pytest.fixture
def bench(kit: Kit, tmp_path: Path) -> Bench:
    return made(kit, tmp_path)


def made(kit: Kit, folder: Path, **settings: Any) -> Bench:
    audit = kit.start(
        "audit", lambda context: Audit(context, path=folder / "audit.jsonl", now=lambda: "2026-11-02")
    )
    memory = kit.probe("memory")
    box = kit.start(
        "broker",
        lambda context: Broker(
            context,
            memory=memory.box,
            audit=audit,
            sessions=SessionStore(folder / "sessions"),
            settings=Settings(**settings),
        ),
    )
    return Bench(kit, folder, memory, audit, box)


def log(folder: Path, *records: Record, session: str = "k3f") -> None:
    opened = SessionStore(folder / "sessions").open(session)
    opened.append(records)
    opened.close()


def result(label: Label) -> ToolResult:
    return ToolResult(
        call="c0", tool="recall", content="", ok=True, level=label.level, untrusted=label.untrusted
    )


def test_a_recall_runs_and_goes_back_with_both_labels(bench: Bench) -> None:
    reply = bench.ask(call="c7")
    asked = bench.memory.expect(Recall)
    assert (asked.args.query, asked.args.k, asked.session, asked.trusted_only) == ("key", 5, "k3f", False)
    bench.memory.reply(MemoryAnswer(ok=True, content="[1] memory · notes · private", label=UNTRUSTED))
    assert bench.outcome(reply) == ToolOutcome(
        call="c7",
        tool="recall",
        arguments='{"query":"key","k":5}',
        ok=True,
        content="[1] memory · notes · private",
        label=UNTRUSTED,
        session_label=UNTRUSTED,
    )


def test_the_audit_has_the_intent_before_the_effect_and_the_outcome_before_the_result(bench: Bench) -> None:
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
    bench.memory.reply(MemoryAnswer(ok=True, content="found", label=UNTRUSTED))
    bench.outcome(reply)
    outcome = bench.lines()[1]
    assert (outcome["call"], outcome["outcome"], outcome["duration_ms"]) == ("c7", "ok", 500)
    assert outcome["label_before"] == {"class": "private", "untrusted": False}
    assert outcome["label_after"] == {"class": "private", "untrusted": True}


def test_an_edit_is_made_on_the_sessions_label(bench: Bench) -> None:
    log(bench.folder, START, SAID, result(UNTRUSTED))
    reply = bench.ask("memory", '{"action":"add","file":"notes","text":"tea"}', turn=1)
    edit = bench.memory.expect(EditMemory)
    assert (edit.session, edit.turn, edit.state, edit.args.text) == ("k3f", 1, UNTRUSTED, "tea")
    bench.memory.reply(MemoryAnswer(ok=True, content="added", label=NEW_SESSION))
    assert bench.outcome(reply).session_label == UNTRUSTED


def test_the_grants_floor_is_the_least_label_of_a_result(bench: Bench) -> None:
    found = bench.answered(bench.ask(), label=OWN_WORDS)
    assert found.label == NEW_SESSION


def test_the_label_never_falls_and_is_the_sessions_own(bench: Bench) -> None:
    assert bench.answered(bench.ask(), label=SECRET).session_label == SECRET
    assert bench.answered(bench.ask(), label=UNTRUSTED).session_label == Label(Level.SECRET, untrusted=True)
    assert bench.answered(bench.ask(session="other")).session_label == NEW_SESSION
    assert bench.box.call(SessionLabel(session="k3f"), 1.0) == Label(Level.SECRET, untrusted=True)


def test_the_label_is_folded_from_the_log_after_a_crash(bench: Bench) -> None:
    log(bench.folder, START, SAID, result(SECRET), result(UNTRUSTED))
    assert bench.box.call(SessionLabel(session="k3f"), 1.0) == Label(Level.SECRET, untrusted=True)
    assert bench.box.call(SessionLabel(session="new"), 1.0) == NEW_SESSION


def test_a_name_that_is_no_sessions_is_refused(bench: Bench) -> None:
    with pytest.raises(Refusal, match="a session's name has"):
        bench.ask(session="../x").get(1.0)
    with pytest.raises(Refusal, match="a session's name has"):
        bench.box.call(SessionLabel(session="../x"), 1.0)


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
    bench: Bench, tool: str, arguments: str, sentence: str, decision: str
) -> None:
    found = bench.outcome(bench.ask(tool, arguments))
    assert found.content.startswith(sentence)
    assert (found.ok, found.label, found.session_label) == (False, OWN_WORDS, NEW_SESSION)
    bench.memory.expect_none()
    [line] = bench.lines()
    assert (line["decision"], line["arguments"], line["grant"]) == (decision, None, None)


def test_refused_arguments_come_back_as_they_were_written(bench: Bench) -> None:
    assert bench.outcome(bench.ask("recall", '{"q":"\ud800"}')).arguments == '{"q":"\ud800"}'


def test_a_secret_in_the_arguments_is_not_in_the_audit(bench: Bench) -> None:
    question = json.dumps({"question": f"is {TOKEN} mine?"})
    bench.ask("ask_memory", question)
    asked = bench.memory.expect(AskMemory)
    assert TOKEN in asked.args.question
    assert TOKEN not in (bench.folder / "audit.jsonl").read_text()
    assert "[secret-github]" in bench.lines()[0]["arguments"]
    bench.memory.reply(MemoryAnswer(ok=False, content="not asked", label=NEW_SESSION))
    bench.kit.settle()


def test_the_arguments_of_a_secret_session_are_not_in_the_audit(bench: Bench) -> None:
    log(bench.folder, START, SAID, result(SECRET))
    bench.answered(bench.ask())
    intent = bench.lines()[0]
    assert (intent["arguments"], len(intent["arguments_sha256"])) == (None, 64)


def test_a_long_result_is_cut_in_the_middle_and_said(bench: Bench) -> None:
    found = bench.answered(bench.ask(), content="x" * 20_000)
    assert len(found.content) <= 16_000
    assert "characters are cut here" in found.content


def test_the_calls_of_a_session_go_in_order_and_other_sessions_go_on(bench: Bench) -> None:
    first = bench.ask("ask_memory", '{"question":"a"}')
    second = bench.ask("recall", '{"query":"b"}')
    bench.memory.expect(AskMemory)
    other = bench.ask("recall", '{"query":"c"}', session="other")
    assert bench.memory.expect(Recall).args.query == "c"
    bench.memory.reply(MemoryAnswer(ok=True, content="at once", label=NEW_SESSION))
    assert bench.outcome(other).content == "at once"
    assert first.pending
    assert second.pending
    bench.kit.advance(170.0)
    assert bench.outcome(first).content == "ask_memory: the memory gave no answer in 170 s"
    assert bench.answered(second, content="then").content == "then"
    bench.memory.expect_none()


@pytest.mark.parametrize(
    ("tool", "arguments", "wait_s"),
    [
        ("recall", '{"query":"key"}', 30.0),
        ("memory", '{"action":"remove","file":"notes","entry":"x"}', 30.0),
        ("ask_memory", '{"question":"x"}', 170.0),
    ],
)
def test_each_tool_has_its_wait(bench: Bench, tool: str, arguments: str, wait_s: float) -> None:
    reply = bench.ask(tool, arguments)
    bench.kit.advance(wait_s - 0.1)
    assert reply.pending
    bench.kit.advance(0.2)
    found = bench.outcome(reply)
    assert found.content == f"{tool}: the memory gave no answer in {wait_s:g} s"
    assert (found.ok, found.label) == (False, NEW_SESSION)
    assert bench.lines()[1]["outcome"] == "failed"


def test_a_test_hands_in_shorter_waits(kit: Kit, tmp_path: Path) -> None:
    bench = made(kit, tmp_path, waits=Waits(broker_memory_s=0.25))
    reply = bench.ask()
    kit.advance(0.3)
    assert bench.outcome(reply).content == "recall: the memory gave no answer in 0.25 s"


def test_a_late_answer_of_the_memory_is_a_dead_letter_and_changes_nothing(bench: Bench) -> None:
    reply = bench.ask()
    bench.memory.expect(Recall)
    bench.kit.advance(31.0)
    before = bench.outcome(reply).session_label
    bench.memory.reply(MemoryAnswer(ok=True, content="late", label=SECRET))
    assert bench.kit.expect_dead_letter("memory", Why.LATE).type_name == "MemoryAnswer"
    assert bench.box.call(SessionLabel(session="k3f"), 1.0) == before


@pytest.mark.parametrize(
    "error", [Restarting("memory"), Crashed("memory", "KeyError"), Refusal("the file is full")]
)
def test_a_memory_that_fails_is_one_clear_failed_result(bench: Bench, error: Any) -> None:
    reply = bench.ask()
    bench.memory.expect(Recall)
    bench.memory.fail(error)
    found = bench.outcome(reply)
    assert (found.ok, found.content, found.label) == (False, f"recall: {error.sentence}", NEW_SESSION)
    assert [line["kind"] for line in bench.lines()] == ["intent", "outcome"]
    assert bench.answered(bench.ask()).ok


def test_a_memory_that_is_stopped_or_full_is_one_clear_failed_result(kit: Kit, tmp_path: Path) -> None:
    bench = made(kit, tmp_path)
    bench.memory.box.bound = 1
    first = bench.ask("recall", '{"query":"a"}', session="a")
    busy = bench.ask("recall", '{"query":"b"}', session="b")
    assert "is busy" in bench.outcome(busy).content
    kit.expect_dead_letter("memory", Why.BUSY)
    bench.memory.close()
    assert bench.outcome(first).content == "recall: memory is stopped and will not answer"
    kit.expect_dead_letter("memory", Why.DEAD)
    assert "is stopped" in bench.outcome(bench.ask(session="c")).content
    kit.expect_dead_letter("memory", Why.DEAD)


def test_the_thirty_first_call_of_a_turn_is_refused_and_the_next_turn_is_free(
    kit: Kit, tmp_path: Path
) -> None:
    bench = made(kit, tmp_path, calls_per_turn=3)
    for number in range(3):
        assert bench.answered(bench.ask("recall", f'{{"query":"q{number}"}}')).ok
    refused = bench.outcome(bench.ask())
    assert refused.content == "this turn has made 3 calls, the most a turn may; answer with what you have"
    assert bench.answered(bench.ask(turn=2)).ok


def test_the_same_call_with_the_same_result_is_refused_the_third_time(bench: Bench) -> None:
    for _ in range(2):
        assert bench.answered(bench.ask(), content="same").ok
    third = bench.outcome(bench.ask("recall", '{"k":5,"query":"key"}'))
    assert not third.ok
    assert "gave the same result twice" in third.content
    assert bench.lines()[-1]["decision"] == "refused: same call again"
    assert bench.answered(bench.ask("recall", '{"query":"other"}'), content="same").ok


def test_the_calls_of_a_turn_are_counted_over_a_crash_of_the_broker(kit: Kit, tmp_path: Path) -> None:
    log(tmp_path, START, SAID, result(NEW_SESSION), result(NEW_SESSION))
    bench = made(kit, tmp_path, calls_per_turn=3)
    assert bench.answered(bench.ask()).ok
    assert "the most a turn may" in bench.outcome(bench.ask()).content


def test_no_call_runs_when_the_audit_cannot_be_written(kit: Kit, tmp_path: Path) -> None:
    (tmp_path / "audit.jsonl").mkdir()
    bench = made(kit, tmp_path)
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
        lambda context: Broker(
            context,
            memory=memory.box,
            audit=audit.box,
            sessions=SessionStore(tmp_path / "sessions"),
        ),
    )
    reply = box.ask(
        ToolRequest(session="k3f", turn=1, call="c1", tool="recall", arguments='{"query":"key"}'), FOREVER_S
    )
    assert audit.expect(Intent).decision == "allowed"
    memory.expect_none()
    audit.reply(1)
    memory.expect(Recall)
    memory.reply(MemoryAnswer(ok=True, content="the secret place", label=SECRET))
    assert audit.expect(Outcome).label_after == SECRET
    assert reply.pending
    audit.fail(Refusal("the disk is full"))
    kit.settle()
    found = reply.get(0.0)
    assert (found.ok, found.label, found.session_label) == (False, SECRET, SECRET)
    assert found.content == (
        "the call ran, but its result is withheld, the audit cannot be written: the disk is full"
    )


def test_a_call_whose_asker_has_gone_is_not_run(bench: Bench) -> None:
    first = bench.ask("ask_memory", '{"question":"a"}')
    second = bench.ask(within_s=5.0)
    bench.memory.expect(AskMemory)
    bench.kit.advance(6.0)
    with pytest.raises(TimedOut):
        second.get(0.0)
    bench.memory.reply(MemoryAnswer(ok=True, content="a", label=NEW_SESSION))
    assert bench.outcome(first).ok
    bench.memory.expect_none()
    assert len(bench.lines()) == 2


def test_a_session_may_have_only_so_many_calls_waiting(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "WAITING_CALLS", 1)
    replies = [bench.ask("ask_memory", f'{{"question":"{number}"}}') for number in range(3)]
    assert "too many calls waiting" in bench.outcome(replies[2]).content
    for reply in replies[:2]:
        bench.memory.expect(AskMemory)
        bench.memory.reply(MemoryAnswer(ok=True, content="a", label=NEW_SESSION))
        assert bench.outcome(reply).ok


def test_idle_sessions_are_forgotten_and_folded_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "KEPT_SESSIONS", 2)
    running = bench.ask(session="busy")
    bench.memory.expect(Recall)
    log(bench.folder, START, SAID, result(SECRET))
    for session in ("k3f", "b", "c", "d"):
        bench.box.call(SessionLabel(session=session), 1.0)
    log(bench.folder, result(UNTRUSTED))
    assert bench.box.call(SessionLabel(session="k3f"), 1.0) == Label(Level.SECRET, untrusted=True)
    bench.memory.reply(MemoryAnswer(ok=True, content="a", label=NEW_SESSION))
    assert bench.outcome(running).ok


def test_a_damaged_log_is_a_refusal(bench: Bench) -> None:
    log(bench.folder, START, SAID)
    path = bench.folder / "sessions" / "k3f" / "0.jsonl"
    path.write_bytes(b"[]\n" + path.read_bytes())
    with pytest.raises(Refusal):
        bench.ask().get(1.0)
