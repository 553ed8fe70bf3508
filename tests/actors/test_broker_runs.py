"""Who runs a call, for how long, and what its end is in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from actors.base import Busy, Crashed, Dead, Expired, Refusal, Restarting
from actors.broker_runs import limit_of
from bxcore.args import HttpFetchArgs, ReadFileArgs, ShellArgs, WriteFileArgs
from bxcore.grants import Mode
from bxcore.labels import NEW_SESSION, OWN_WORDS, Label, Level, join
from bxcore.messages.runner import RunTool
from bxcore.tool_answer import EFFECT_UNKNOWN, Effect, ToolAnswer
from tests.doubles.broker_bench import LS, BrokerBench, broker_bench, grant
from tests.kit.kit import Kit

SECRET = Label(Level.SECRET, untrusted=False)
READ = ReadFileArgs(path="a")


@pytest.mark.parametrize(
    ("args", "granted_ms", "limit_s"),
    [
        (READ, None, 60.0),
        (READ, 5_000, 5.0),
        (READ, 3_600_000, 3600.0),
        (WriteFileArgs(path="a", content=""), 250, 0.25),
        (ShellArgs(command="ls", timeout_s=20), None, 20.0),
        (ShellArgs(command="ls", timeout_s=300), None, 60.0),
        (ShellArgs(command="ls", timeout_s=300), 90_000, 90.0),
        (ShellArgs(command="ls", timeout_s=20), 90_000, 20.0),
        (HttpFetchArgs(url="https://example.org/"), None, 30.0),
    ],
)
def test_a_run_takes_as_long_as_the_grant_and_the_call_say(
    args: Any, granted_ms: int | None, limit_s: float
) -> None:
    assert limit_of(args, granted_ms) == limit_s


CALLS: dict[str, tuple[str, dict[str, Any], float]] = {
    "shell, its own time": ('{"command":"ls","timeout_s":20}', {}, 25.0),
    "shell, the grant's": (LS, {"time_limit_ms": 7_000}, 12.0),
    "read_file": ('{"path":"a"}', {}, 65.0),
    "read_file, longer than the loop waits": ('{"path":"a"}', {"time_limit_ms": 3_600_000}, 119.0),
    "write_file": ('{"path":"a","content":"x"}', {"read_only": False}, 65.0),
    "http_fetch": ('{"url":"https://example.org/"}', {"hosts": ("example.org",)}, 35.0),
}


@pytest.mark.parametrize("case", CALLS)
def test_the_broker_waits_five_seconds_longer_than_the_run(kit: Kit, tmp_path: Path, case: str) -> None:
    tool, (arguments, fields, wait_s) = case.partition(",")[0], CALLS[case]
    made = grant(tool, Mode.AUTO, **fields)
    bench = broker_bench(kit, tmp_path, grants=[made])
    reply = bench.ask(tool, arguments)
    order = bench.runner.expect(RunTool)
    assert (order.limit_s, order.grant, order.args.TOOL) == (wait_s - 5.0, made, tool)
    kit.advance(wait_s - 0.1)
    assert reply.pending
    kit.advance(0.2)
    found = bench.outcome(reply)
    assert found.content == f"{tool}: the runner gave no answer in {wait_s:g} s; {EFFECT_UNKNOWN}"
    assert (found.ok, found.label) == (False, made.floor)
    assert bench.lines("outcome")[0]["outcome"] == "unknown"


@pytest.fixture
def bench(kit: Kit, tmp_path: Path) -> BrokerBench:
    return broker_bench(kit, tmp_path, grants=[grant(mode=Mode.AUTO)])


@pytest.mark.parametrize(
    ("error", "outcome", "sentence"),
    [
        (Restarting("runner"), "unknown", f"runner was restarted before it answered; {EFFECT_UNKNOWN}"),
        (
            Crashed("runner", "KeyError"),
            "unknown",
            f"runner crashed on this request (KeyError); {EFFECT_UNKNOWN}",
        ),
        (Dead("runner"), "unknown", f"runner is stopped and will not answer; {EFFECT_UNKNOWN}"),
        (Busy("runner"), "failed", "runner is busy: its mailbox is full, try again"),
        (Expired("runner"), "failed", "runner could not take the request before its deadline"),
        (Refusal("it is off"), "failed", "it is off"),
    ],
)
def test_a_runner_that_fails_is_one_clear_failed_result_with_the_grants_floor(
    bench: BrokerBench, error: Any, outcome: str, sentence: str
) -> None:
    reply = bench.ask("shell", LS)
    bench.runner.expect(RunTool)
    bench.runner.fail(error)
    found = bench.outcome(reply)
    assert (found.ok, found.content) == (False, f"shell: {sentence}")
    assert bench.lines("outcome")[0]["outcome"] == outcome
    label = OWN_WORDS if isinstance(error, Busy | Expired) else grant().floor  # nothing was looked at
    assert found.label == label
    assert found.session_label == join(NEW_SESSION, label)


def test_a_run_that_broke_off_is_audited_as_unknown(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS)
    bench.runner.expect(RunTool)
    bench.runner.reply(ToolAnswer(ok=False, content="it broke off", label=OWN_WORDS, effect=Effect.UNKNOWN))
    assert not bench.outcome(reply).ok
    assert bench.lines("outcome")[0]["outcome"] == "unknown"


@pytest.mark.parametrize("label", [OWN_WORDS, NEW_SESSION, SECRET, Label(Level.PRIVATE, untrusted=True)])
@pytest.mark.parametrize("ok", [True, False])
def test_a_results_label_is_the_join_of_the_floor_and_the_runners_own(
    bench: BrokerBench,
    label: Label,
    ok: bool,  # noqa: FBT001
) -> None:
    reply = bench.ask("shell", LS)
    bench.runner.expect(RunTool)
    bench.runner.reply(ToolAnswer(ok=ok, content="x", label=label))
    found = bench.outcome(reply)
    assert found.label == join(grant().floor, label)
    assert found.session_label == join(NEW_SESSION, found.label)
    assert found.ok is ok


def test_a_shell_runs_alone_in_its_session(bench: BrokerBench) -> None:
    first, second = bench.ask("shell", LS), bench.ask("recall", '{"query":"a"}')
    bench.memory.expect_none()
    bench.ran(first)
    assert bench.answered(second).ok


def test_a_redirect_comes_under_no_stricter_grant(kit: Kit, tmp_path: Path) -> None:
    auto = grant("http_fetch", Mode.AUTO, id="site", hosts=("example.org",))
    asks = grant("http_fetch", Mode.ASK, id="other", hosts=("other.example.org",))
    bench = broker_bench(kit, tmp_path, grants=[auto, asks])
    bench.ask("http_fetch", '{"url":"https://example.org/"}')
    assert bench.runner.expect(RunTool).stricter == (asks,)


def test_a_run_is_told_which_folders_it_must_not_see(kit: Kit, tmp_path: Path) -> None:
    auto = grant("shell", Mode.AUTO, paths=("/notes",))
    no = grant("read_file", Mode.DENY, id="no", paths=("/notes/secret",))
    bench = broker_bench(kit, tmp_path, grants=[auto, no])
    bench.ask("shell", LS)
    assert bench.runner.expect(RunTool).masked == ("/notes/secret",)


def test_a_long_result_goes_back_cut_and_its_whole_beside_it(bench: BrokerBench) -> None:
    found = bench.ran(bench.ask("shell", LS), content="y" * 16_001)
    assert found.whole == "y" * 16_001
    assert len(found.content) <= 16_000


def test_the_number_of_the_outcomes_record_goes_with_the_result(bench: BrokerBench) -> None:
    found = bench.ran(bench.ask("shell", LS))
    (outcome,) = bench.lines("outcome")
    assert found.audited == outcome["n"]
