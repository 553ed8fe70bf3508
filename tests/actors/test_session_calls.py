"""A round's calls: where they go, in which order, and what becomes of them without an answer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator

import pytest

from actors.base import Busy, CallError, Crashed, Dead, Refusal, Restarting
from actors.session_calls import SessionCalls
from bxcore.labels import OWN_WORDS, Label, Level
from bxcore.messages.broker import ToolRequest
from bxcore.messages.loop import ToolStarted, TurnEvent
from bxcore.records import ToolCall
from bxcore.tool_answer import EFFECT_UNKNOWN
from bxcore.tool_registry import ToolRegistry
from bxcore.turn import ToolDone
from bxcore.waits import Waits
from bxio.brake import Brake
from tests.doubles.loop_bench import NOW, outcome
from tests.kit.leaks import Letters
from tests.kit.probe import Probe

WAITS = Waits(loop_call_s=0.1, loop_ask_memory_s=0.3)


class Bench:
    def __init__(self, broker: Probe) -> None:
        self.broker, self.brake, self.shown = broker, Brake(), list[TurnEvent]()
        self.calls = SessionCalls(
            session="k3f",
            turn=4,
            broker=broker.box,
            registry=ToolRegistry(),
            waits=WAITS,
            brake=self.brake,
            now=time.monotonic,
            wall=lambda: NOW,
            show=self.shown.append,
        )

    def results(self, *names: str, together: bool = False) -> Iterator[ToolDone]:
        calls = [ToolCall(id=f"t4c{n}", name=name, arguments='{"q":1}') for n, name in enumerate(names, 1)]
        return self.calls.results(calls, together)


@pytest.fixture
def bench(probe: Callable[[str], Probe], letters: Letters) -> Iterator[Bench]:
    yield Bench(probe("broker"))
    letters.read_all()


def test_calls_side_by_side_are_all_with_the_broker_at_once(bench: Bench) -> None:
    results = bench.results("recall", "ask_memory", together=True)
    assert not next(results).ok, "the first call's own wait is over, and its request expired"
    request = bench.broker.expect(ToolRequest)
    assert (request.call, request.tool, request.turn, request.arguments) == (
        "t4c2",
        "ask_memory",
        4,
        '{"q":1}',
    )
    bench.broker.reply(outcome(request, "answer"))
    assert next(results).content == "answer"
    assert [event.kind for event in bench.shown] == ["tool_started", "tool_started"]


def test_a_call_by_call_tool_is_shown_as_the_tool_s_own(bench: Bench) -> None:
    wrapped = '{"name": "recall", "arguments": {"query": "key"}}'
    bench.calls._start(ToolCall(id="t4c1", name="call_tool", arguments=wrapped))
    bench.calls._start(ToolCall(id="t4c2", name="call_tool", arguments='{"name": 1}'))
    shown = [(event.tool, event.arguments) for event in bench.shown if isinstance(event, ToolStarted)]
    assert [(tool, json.loads(arguments)) for tool, arguments in shown] == [
        ("recall", {"query": "key"}),
        ("call_tool", {"name": 1}),
    ]


def test_the_brokers_label_and_canonical_arguments_are_kept(bench: Bench) -> None:
    label = Label(Level.SECRET, untrusted=True)
    asked = bench.calls._start(ToolCall(id="t4c9", name="recall", arguments="{}"))
    request = bench.broker.expect(ToolRequest)
    bench.broker.reply(outcome(request, "x", label))
    done = bench.calls._finish(asked)
    assert done is not None
    assert (done.label, done.arguments, done.ok) == (label, "{}", True)


@pytest.mark.parametrize(
    ("error", "why", "effect"),
    [
        (Busy("broker"), "broker is busy: its mailbox is full, try again", "it did not run"),
        (Dead("broker"), "broker is stopped and will not answer", "it did not run"),
        (Crashed("broker", "KeyError"), "broker crashed on this request (KeyError)", EFFECT_UNKNOWN),
        (Restarting("broker"), "broker was restarted before it answered", EFFECT_UNKNOWN),
    ],
)
def test_a_broker_that_cannot_be_reached_is_one_line_each(
    bench: Bench, logged: list[str], error: CallError, why: str, effect: str
) -> None:
    asked = bench.calls._start(ToolCall(id="t4c1", name="memory", arguments="{}"))
    bench.broker.expect(ToolRequest)
    bench.broker.fail(error)
    done = bench.calls._finish(asked)
    assert done is not None
    assert done.content == f"memory was not answered: {why}; {effect}, tell the user so"
    assert (done.ok, done.label) == (False, OWN_WORDS)
    (line,) = logged
    assert line == (
        f"memory of session k3f was not answered by the broker: {why}; see docs/runbook.md#broker-unavailable"
    )


def test_a_refusal_of_the_broker_is_shown_as_it_is(bench: Bench, logged: list[str]) -> None:
    asked = bench.calls._start(ToolCall(id="t4c1", name="shell", arguments="{}"))
    bench.broker.expect(ToolRequest)
    bench.broker.fail(Refusal("no grant allows shell"))
    done = bench.calls._finish(asked)
    assert done is not None
    assert (done.content, logged) == ("no grant allows shell", [])


def test_ask_memory_is_waited_for_longer_than_any_other_call(bench: Bench) -> None:
    began_s = time.monotonic()
    contents = [done.content for done in bench.results("recall", "ask_memory")]
    assert [content.partition(";")[0] for content in contents] == [
        "recall was not answered: no answer within 0.1 s",
        "ask_memory was not answered: no answer within 0.3 s",
    ]
    assert time.monotonic() - began_s < 2.0


def test_a_pulled_brake_starts_no_other_call(bench: Bench) -> None:
    results = bench.results("clock", "recall")
    assert next(results).content.endswith("UTC") is False
    bench.brake.pull()
    assert list(results) == []
    bench.broker.expect_none()


def test_an_unknown_tool_is_named_twice_and_then_refused_as_a_repeat(bench: Bench) -> None:
    found = [done.content for done in bench.results("clocks", "clocks", "clocks", "clockz")]
    assert found[0] == found[1]
    assert "did you mean clock?" in found[0]
    assert "gave the same result twice" in found[2]
    assert "did you mean clock?" in found[3]
