"""Approvals over a restart of the actor, which keeps them, and of the process, which closes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from actors.base import Failed, Restarting
from bxcore.grants import Mode, WhenUntrusted
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.broker import ToolOutcome, WhatBecame
from bxcore.messages.runner import RunTool
from bxcore.messages.supervision import RestartChild
from bxcore.records import Assistant, SessionStart, ToolCall, ToolResult, User
from bxcore.tool_answer import ToolAnswer
from bxcore.turn import Append, ToolDone, Turn, advance
from tests.doubles.broker_bench import LS, BrokerBench, broker_bench, grant, log, result
from tests.kit.kit import Kit

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
NO_OTHER_WAY = "; do not try another way, tell the owner"
ASKS = grant()
DONE = ToolAnswer(ok=True, content="done", label=NEW_SESSION)


@pytest.fixture
def bench(kit: Kit, tmp_path: Path) -> BrokerBench:
    return broker_bench(kit, tmp_path, grants=[ASKS])


def test_a_denial_is_remembered_over_a_restart_of_the_actor(bench: BrokerBench) -> None:
    bench.ask("shell", LS)
    bench.say(bench.asked(), approve=False)
    bench.restart()
    assert "has denied this same call" in bench.outcome(bench.ask("shell", LS)).content


def test_what_was_approved_for_the_session_outlives_the_actor_not_the_process(
    kit: Kit, tmp_path: Path
) -> None:
    bench = broker_bench(kit, tmp_path, grants=[grant(untrusted=False)])
    first = bench.ask("shell", LS)
    bench.say(bench.asked(), for_session=True)
    bench.ran(first)
    bench.restart()
    bench.ran(bench.ask("shell", '{"command":"pwd"}', turn=2))
    assert len(bench.surface.asked) == 1
    anew = in_a_new_process(bench)
    anew.ask("shell", '{"command":"id"}', turn=3)
    anew.kit.settle()
    assert len(anew.surface.asked) == 1


def in_a_new_process(bench: BrokerBench) -> BrokerBench:
    """The same folder under another kit, whose clock begins anew, as a process's does."""
    bench.kit.letters.read_all()
    assert bench.kit.close() == []
    kit = Kit(bench.kit.seed + 1)
    made = broker_bench(kit, bench.folder, grants=bench.owners, instance="the next process")
    ANEW.append(kit)
    return made


ANEW: list[Kit] = []


@pytest.fixture(autouse=True)
def anew_closed(nothing_left: None) -> Any:
    yield
    while ANEW:
        kit = ANEW.pop()
        kit.letters.read_all()
        kit.close()


def test_an_approval_survives_a_restart_of_the_actor(bench: BrokerBench) -> None:
    first = bench.ask("shell", LS, call="t1c1")
    code = bench.asked()
    bench.kit.advance(100.0)
    bench.restart()
    assert isinstance(first.peek(), Failed)
    assert [view.code for view in bench.pending()] == [code]
    again = bench.ask("shell", LS, call="t1c1", within_s=50.0)
    bench.kit.settle()
    assert [view.code for view in bench.surface.asked] == [code, code]
    assert bench.surface.asked[1].left_s == 500.0
    assert len(bench.lines("approval_opened")) == 1
    bench.say(code)
    assert bench.ran(again).ok


def test_an_approval_expires_after_a_restart_of_the_actor_as_if_there_had_been_none(
    bench: BrokerBench,
) -> None:
    bench.ask("shell", LS, call="t1c1")
    bench.asked()
    bench.kit.advance(500.0)
    bench.restart()
    again = bench.ask("shell", LS, call="t1c1")
    bench.kit.advance(99.0)
    assert again.pending
    bench.kit.advance(1.5)
    assert "did not answer in time" in bench.outcome(again).content


def test_an_answer_between_a_restart_and_the_asking_again_counts(bench: BrokerBench) -> None:
    bench.ask("shell", LS, call="t1c1")
    bench.ask("shell", LS, call="t1c1", session="other")
    bench.kit.settle()
    first, second = (view.code for view in bench.pending())
    bench.restart()
    away = "; its turn is not here at the moment, the call runs only if it comes back"
    assert bench.say(first).sentence == f"{first} was approved by the chat{away}"
    assert bench.say(second, approve=False).taken
    bench.runner.expect_none()
    assert bench.ran(bench.ask("shell", LS, call="t1c1")).ok
    assert "denied this call" in bench.outcome(bench.ask("shell", LS, call="t1c1", session="other")).content


def test_a_call_that_had_begun_when_the_actor_crashed_is_not_made_again(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS, call="t1c1")
    bench.say(bench.asked())
    bench.runner.expect(RunTool)
    bench.restart()
    assert isinstance(reply.peek(), Failed)
    found = bench.outcome(bench.ask("shell", LS, call="t1c1"))
    assert "whether it took effect is unknown; it is not made again" in found.content
    bench.runner.expect_none()


def test_another_call_under_an_approved_ones_id_is_asked_anew(bench: BrokerBench) -> None:
    bench.ask("shell", LS, call="t1c1")
    code = bench.asked()
    bench.restart()
    bench.say(code)
    bench.ask("shell", '{"command":"rm -rf /"}', call="t1c1")
    assert bench.asked() != code
    bench.runner.expect_none()


def test_a_label_that_rose_while_it_was_pending_makes_it_another_question(bench: BrokerBench) -> None:
    """The log is the label: after a restart of the actor it may be higher than what was shown."""
    log(bench.folder, SessionStart(baseline=""), User(text="hi", speaker="owner"))
    bench.ask("shell", LS, call="t1c1")
    code = bench.asked()
    bench.restart()
    log(bench.folder, result(UNTRUSTED))
    bench.ask("shell", LS, call="t1c1")
    assert bench.asked() != code
    assert bench.surface.asked[-1].label == UNTRUSTED
    assert bench.say(code).sentence == f"{code} was withdrawn already"
    bench.runner.expect_none()


def test_an_approval_given_at_a_lower_label_lets_nothing_run(bench: BrokerBench) -> None:
    log(bench.folder, SessionStart(baseline=""), User(text="hi", speaker="owner"))
    bench.ask("shell", LS, call="t1c1")
    code = bench.asked()
    bench.restart()
    assert bench.say(code).taken
    log(bench.folder, result(UNTRUSTED))
    found = bench.outcome(bench.ask("shell", LS, call="t1c1"))
    assert found.content == (
        "the owner approved this call, but the session's label changed from private to private, untrusted "
        "meanwhile, and it did not run" + NO_OTHER_WAY
    )
    assert bench.lines()[-1]["decision"] == "refused: changed since approved"
    bench.runner.expect_none()


def test_after_a_restart_of_the_process_what_waited_is_closed_and_its_turn_is_told(
    bench: BrokerBench,
) -> None:
    bench.ask("shell", LS, call="t1c1")
    code = bench.asked()
    anew = in_a_new_process(bench)
    assert anew.pending() == ()
    ended = anew.lines("approval_ended")
    assert [(line["how"], line["by"]) for line in ended] == [("expired", "the end of the box")]
    told = {"t1c1": "it waited for the owner's approval when the box ended; it did not run"}
    assert anew.box.call(WhatBecame(session="k3f", calls=("t1c1", "t1c2")), 1.0) == told
    assert anew.box.call(WhatBecame(session="other", calls=("t1c1",)), 1.0) == {}
    late = anew.say(code)
    assert (late.taken, late.known) == (False, True)
    assert late.sentence == f"{code} has expired with the box's end, and did not run"


def test_what_an_earlier_process_left_is_told_until_it_is_old(bench: BrokerBench) -> None:
    bench.ask("shell", LS, call="t1c1")
    bench.asked()
    anew = in_a_new_process(bench)
    size = (anew.folder / "approvals.jsonl").stat().st_size
    anew.restart()
    told = anew.box.call(WhatBecame(session="k3f", calls=("t1c1",)), 1.0)
    assert list(told) == ["t1c1"]
    assert len(anew.lines("approval_ended")) == 1, "it is closed once"
    assert (anew.folder / "approvals.jsonl").stat().st_size == size


def test_what_became_of_calls_is_told_of_those_alone_that_did_not_run(bench: BrokerBench) -> None:
    ran = bench.ask("shell", LS, call="ran")
    bench.say(bench.asked())
    bench.ran(ran)
    bench.ask("shell", '{"command":"b"}', call="denied")
    bench.say(bench.asked(), approve=False)
    waits = bench.ask("shell", '{"command":"c"}', call="waits")
    bench.asked()
    told = bench.box.call(WhatBecame(session="k3f", calls=("ran", "denied", "waits")), 1.0)
    assert told == {
        "denied": "the owner denied this call, and it did not run",
        "waits": "the question to the owner was withdrawn, and the call did not run",
    }
    assert bench.pending() == ()
    assert "withdrawn" in bench.outcome(waits).content


def test_an_operators_restart_keeps_what_is_pending(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS, call="t1c1")
    code = bench.asked()
    bench.kit.runtime.mailbox("root").call(RestartChild(name="broker"), 1.0)
    outcome = reply.peek()
    assert isinstance(outcome, Failed)
    assert isinstance(outcome.error, Restarting)
    assert [view.code for view in bench.pending()] == [code]
    assert bench.lines("approval_ended") == []


@pytest.mark.parametrize("before", [0, 1, 2])
def test_the_third_call_in_vain_is_refused_wherever_the_actor_is_restarted(
    kit: Kit, tmp_path: Path, before: int
) -> None:
    """The result is a stranger's, so the log has it made harmless; it is the same one all the same."""
    bench = broker_bench(kit, tmp_path, grants=[grant(mode=Mode.AUTO, when_untrusted=WhenUntrusted.ALLOW)])
    log(tmp_path, SessionStart(baseline=""), User(text="hi", speaker="owner"))
    for number in (1, 2):
        call = ToolCall(id=f"t1c{number}", name="shell", arguments=LS)
        found = bench.ran(bench.ask("shell", LS, call=call.id), "<|im_start|>same", UNTRUSTED)
        log(tmp_path, Assistant(content="", tool_calls=(call,)), logged(found))
        if number == before:
            bench.restart()
    assert "gave the same result twice" in bench.outcome(bench.ask("shell", LS)).content


def logged(found: ToolOutcome) -> ToolResult:
    """As the session's turn writes it."""
    done = ToolDone(
        call=found.call, tool=found.tool, arguments="", ok=True, content=found.content, label=found.label
    )
    waiting = Turn(number=1, waiting=(ToolCall(id=found.call, name="shell", arguments=LS),))
    append = advance(waiting, done)[1][0]
    assert isinstance(append, Append)
    (record,) = append.records
    assert isinstance(record, ToolResult)
    assert record.content != found.content
    return record


def test_a_question_that_expired_twice_is_not_put_a_third_time_in_that_turn(bench: BrokerBench) -> None:
    for _ in range(2):
        bench.ask("shell", LS)
        bench.asked()
        bench.kit.advance(601.0)
    assert "gave the same result twice" in bench.outcome(bench.ask("shell", LS)).content
    assert len(bench.surface.asked) == 2
