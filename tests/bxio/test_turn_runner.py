"""The runner does what the turn says, in that order, and the brake ends it between any two steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Timer

import pytest

from bxcore.address import Delivery
from bxcore.labels import Label, Level
from bxcore.messages.loop import TextDelta, TurnEvent
from bxcore.messages.model import Endpoint
from bxcore.model.values import ModelRequest
from bxcore.records import ToolCall, ToolResult, Usage, User
from bxcore.turn import STOPPED, End, ToolDone, Turn, begin
from bxio.brake import Brake
from bxio.model import ModelClient, ModelUnavailable
from bxio.session_store import OpenSession, SessionStore
from bxio.turn_runner import TurnRunner
from tests.doubles.model_server import ModelServer, Step

CALL: Step = {"call": ["recall", {"query": "x"}]}


@pytest.fixture
def log(tmp_path: Path) -> Iterator[OpenSession]:
    opened = SessionStore(tmp_path / "sessions").open("k3f")
    yield opened
    opened.close()


class Bench:
    """A runner on a scripted server; notes in order what was logged, shown and asked."""

    def __init__(self, log: OpenSession, server: ModelServer) -> None:
        self.log, self.server, self.brake = log, server, Brake()
        self.shown: list[str] = []
        self.on_shown: Callable[[TurnEvent], object] = lambda _event: None
        self.audited: int | None = None
        self.settle: Callable[[int], str | None] = lambda _number: None

    def show(self, event: TurnEvent) -> object:
        kinds = [record.kind for record in self.log.records]
        self.shown.append(f"{event.kind} after {kinds[-1]}")
        return self.on_shown(event)

    def client(self, using: int | None = None, without: tuple[int, ...] = ()) -> ModelClient:
        endpoint = Endpoint(url=self.server.url, name="scripted", profile="native")
        return ModelClient(endpoint, first_token_s=5.0, retry_s=0.1)

    def tools(self, calls: Sequence[ToolCall], together: bool) -> Iterator[ToolDone]:  # noqa: FBT001
        for call in calls:
            if self.brake.pulled():
                return
            label = Label(Level.PRIVATE, untrusted=False)
            yield ToolDone(
                call=call.id,
                tool=call.name,
                arguments='{"k":5}',
                ok=True,
                content="found",
                label=label,
                audited=self.audited,
            )

    def run(self, client: Callable[..., ModelClient] | None = None) -> tuple[Turn, End, TurnRunner]:
        runner = TurnRunner(
            log=self.log,
            client=client or self.client,
            brake=self.brake,
            request=lambda: ModelRequest(profile="native", baseline=(), history=()),
            tools=self.tools,
            show=self.show,
            now=time.monotonic,
            answer_s=10.0,
            settle=self.settle,
        )
        turn, end = runner.run(Turn(number=1), begin(User(text="hi")))
        return turn, end, runner


def test_what_is_shown_is_on_disk(log: OpenSession) -> None:
    with ModelServer([CALL, {"say": "ok"}]) as server:
        bench = Bench(log, server)
        turn, end, runner = bench.run()
    assert end == End(reply="ok")
    assert bench.shown == [
        "turn_started after user",
        "tool_ended after tool_result",
        "text_delta after tool_result",
    ]
    assert turn.usage.completion > 0
    assert [(ended.call, ended.arguments) for ended in runner.ended] == [("t1c1", '{"k":5}')]
    assert [record.kind for record in log.records] == [
        "user",
        "assistant",
        "tool_result",
        "assistant",
        "usage",
    ]


def test_a_result_is_shown_once_it_is_on_disk_and_its_audit_is_settled(log: OpenSession) -> None:
    with ModelServer([CALL, {"say": "ok"}]) as server:
        bench = Bench(log, server)
        bench.audited = 7

        def settle(number: int) -> None:
            synced = (log._folder / "0.jsonl").read_text().count('"kind":"tool_result"')
            bench.shown.append(f"settled {number}: {synced} on disk, {len(server.seen)} asked")

        bench.settle = settle
        bench.run()
    assert bench.shown == [
        "turn_started after user",
        "settled 7: 1 on disk, 1 asked",
        "tool_ended after tool_result",
        "text_delta after tool_result",
    ]


def test_a_result_that_was_never_audited_waits_for_nothing(log: OpenSession) -> None:
    with ModelServer([CALL, {"say": "ok"}]) as server:
        bench = Bench(log, server)
        bench.settle = lambda number: f"asked for {number}"
        _, end, _ = bench.run()
    assert end == End(reply="ok")


@pytest.mark.parametrize(("calls", "left"), [(1, []), (3, ["t1c2", "t1c3"])])
def test_a_result_whose_audit_is_not_on_disk_is_not_shown_and_ends_the_turn(
    log: OpenSession, calls: int, left: list[str]
) -> None:
    with ModelServer([{"call": [["recall", {}]] * calls}, {"say": "never"}]) as server:
        bench = Bench(log, server)
        bench.audited = 7
        bench.settle = lambda number: f"record {number} is lost"
        _, end, runner = bench.run()
        assert len(server.seen) == 1
    assert end == End(failed="record 7 is lost")
    last = log.records[-1]
    assert isinstance(last, Usage)
    assert last.failed == "record 7 is lost"
    assert [(ended.call, ended.ok, ended.content) for ended in runner.ended] == [
        (call, False, "record 7 is lost") for call in left
    ]
    results = [record.call for record in log.records if isinstance(record, ToolResult)]
    assert results == ["t1c1", *left], "each call has a result, so that the log is a conversation still"


def test_text_that_a_slow_listener_had_no_room_for_goes_with_the_next_piece(log: OpenSession) -> None:
    pieces: list[str] = []
    busy = iter([True, False, True, True, False, True, False])

    def slow(event: TurnEvent) -> object:
        if not isinstance(event, TextDelta):
            return None
        if next(busy, False):
            return Delivery.BUSY
        pieces.append(event.text)
        return Delivery.ACCEPTED

    with ModelServer([{"say": "abcdef", "piece": 1}]) as server:
        bench = Bench(log, server)
        bench.on_shown = slow
        _, end, _ = bench.run()
    assert "".join(pieces) == end.reply == "abcdef"
    assert pieces == ["ab", "cde", "f"]


def test_a_brake_pulled_before_the_model_is_asked_asks_nothing(log: OpenSession) -> None:
    with ModelServer([{"say": "never"}]) as server:
        bench = Bench(log, server)
        bench.on_shown = lambda _event: bench.brake.pull()
        _, end, _ = bench.run()
        assert (end.failed, server.seen) == (STOPPED, [])


def test_a_brake_pulled_between_two_calls_runs_no_other(log: OpenSession) -> None:
    with ModelServer([{"call": [["recall", {}], ["memory", {}]]}]) as server:
        bench = Bench(log, server)
        bench.on_shown = lambda event: bench.brake.pull() if event.kind == "tool_ended" else None
        _, end, runner = bench.run()
    assert end.failed == STOPPED
    assert [(ended.call, ended.ok, ended.content) for ended in runner.ended] == [
        ("t1c1", True, "found"),
        ("t1c2", False, "stopped"),
    ]
    last = log.records[-1]
    assert isinstance(last, Usage)
    assert last.failed == STOPPED


def test_a_brake_pulled_while_the_model_writes_ends_it_within_a_second(log: OpenSession) -> None:
    with ModelServer([{"say": "slow " * 100, "drip_s": 0.1}]) as server:
        bench = Bench(log, server)
        timer = Timer(0.2, bench.brake.pull)
        timer.start()
        began_s = time.monotonic()
        _, end, _ = bench.run()
        took_s = time.monotonic() - began_s
        timer.join(timeout=5)
    assert end.failed == STOPPED
    assert took_s < 1.2
    assert "assistant" not in [record.kind for record in log.records]


def test_a_model_that_is_not_there_is_a_failed_end(log: OpenSession) -> None:
    def nobody(*_: object) -> ModelClient:
        raise ModelUnavailable("no model is configured")

    with ModelServer() as server:
        _, end, _ = Bench(log, server).run(nobody)
    assert end == End(failed="no model is configured")
    assert log.records[-1] == Usage(failed="no model is configured")
