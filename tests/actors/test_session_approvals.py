"""What a session's side makes of the broker's news: shown once, known while it is pending."""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Timer

import pytest

from actors.base import Actor, Busy, CallError, Context, Crashed, Dead, Refusal, Reply, Restarting, Runtime
from actors.session_approvals import SessionApprovals
from actors.session_calls import ASKED_AGAIN, SessionCalls
from bxcore.address import Delivery
from bxcore.labels import NEW_SESSION
from bxcore.messages.broker import ApprovalAsked, ApprovalClosed, ApprovalView, ToolOutcome, ToolRequest
from bxcore.messages.loop import TurnEvent
from bxcore.records import ToolCall
from bxcore.tool_answer import EFFECT_UNKNOWN
from bxcore.tool_registry import ToolRegistry
from bxcore.turn import ToolDone
from bxcore.waits import Waits
from bxio.brake import Brake
from tests.doubles.loop_bench import NOW, outcome


def view(code: str = "k7", call: str = "t4c1", left_s: float = 600.0) -> ApprovalView:
    return ApprovalView(
        code=code,
        session="k3f",
        turn=4,
        call=call,
        tool="shell",
        shown="shell {}",
        whole="shell {}",
        hidden=0,
        label=NEW_SESSION,
        grant="house",
        why="the grant house asks each time",
        left_s=left_s,
    )


def asked(**changed: str | float) -> ApprovalAsked:
    return ApprovalAsked(session="k3f", approval=view(**changed))  # type: ignore[arg-type]


def closed(code: str = "k7") -> ApprovalClosed:
    return ApprovalClosed(session="k3f", code=code, approved=True, sentence=f"{code} was approved")


class Screen:
    """Who shows the news, and how it takes it."""

    def __init__(self) -> None:
        self.events: list[TurnEvent] = []
        self.delivery: object = Delivery.ACCEPTED

    def show(self, event: TurnEvent) -> object:
        self.events.append(event)
        return self.delivery

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.events if event.kind.startswith("approval")]


@pytest.fixture
def screen() -> Screen:
    return Screen()


@pytest.fixture
def approvals(screen: Screen) -> SessionApprovals:
    return SessionApprovals("loop/k3f/approvals", screen.show, lambda: 100.0)


def test_a_question_is_shown_and_pending_until_it_is_over(
    screen: Screen, approvals: SessionApprovals
) -> None:
    assert approvals.tell(asked()) is Delivery.ACCEPTED
    assert approvals.pending_until_s("t4c1") == 700.0
    assert approvals.pending_until_s("t4c2") is None
    approvals.tell(closed("other"))
    assert approvals.pending_until_s("t4c1") == 700.0
    approvals.tell(closed())
    assert approvals.pending_until_s("t4c1") is None
    assert screen.kinds == ["approval_asked", "approval_closed", "approval_closed"]


def test_a_question_that_comes_again_is_shown_once(screen: Screen, approvals: SessionApprovals) -> None:
    approvals.tell(asked())
    assert approvals.tell(asked(left_s=300.0)) is Delivery.ACCEPTED
    assert approvals.pending_until_s("t4c1") == 400.0
    approvals.tell(asked(code="m3"))
    assert screen.kinds == ["approval_asked", "approval_asked"]


@pytest.mark.parametrize("delivery", [Delivery.BUSY, Delivery.CLOSED])
def test_what_the_person_does_not_get_is_not_delivered_and_not_pending(
    screen: Screen, approvals: SessionApprovals, delivery: Delivery
) -> None:
    screen.delivery = delivery
    assert approvals.tell(asked()) is delivery
    assert approvals.pending_until_s("t4c1") is None
    assert approvals.tell(asked()) is delivery, "nobody has seen it"


def test_a_show_that_tells_nothing_has_shown_it(screen: Screen, approvals: SessionApprovals) -> None:
    screen.delivery = None
    assert approvals.tell(asked()) is Delivery.ACCEPTED


class ScriptedBroker(Actor):
    """For each asking a list of steps: news for the listener, then a text, an error, or a pending reply."""

    def __init__(self, context: Context, script: list[list[object]], bench: Bench) -> None:
        super().__init__(context)
        self._script = script
        self._bench = bench

    def on_receive(self, message: ToolRequest) -> object:
        reply = self.reply_later()
        assert reply is not None
        self._bench.requests.append(message)
        self._bench.replies.append(reply)
        for step in self._script.pop(0):
            if isinstance(step, ApprovalAsked | ApprovalClosed):
                assert message.listener is not None
                message.listener.tell(step)
            elif isinstance(step, CallError | Refusal):
                reply.fail(step)
            elif isinstance(step, float):
                reply.extend(self.now() + step)
            elif isinstance(step, ToolOutcome):
                reply.set(step)
            else:
                reply.set(outcome(message, str(step)))
        return None


class Bench:
    """The calls of a turn between a screen and a broker that follows a script, on real threads."""

    def __init__(self, runtime: Runtime, screen: Screen, *script: list[object], wait_s: float = 5.0) -> None:
        self.runtime, self.screen, self.brake = runtime, screen, Brake()
        self.requests: list[ToolRequest] = []
        self.replies: list[Reply] = []
        self.kept: dict[str, str] = {}
        self.script = list(script)
        runtime.start("broker", lambda context: ScriptedBroker(context, self.script, self))
        self.calls = SessionCalls(
            session="k3f",
            turn=4,
            broker=runtime.mailbox("broker"),
            registry=ToolRegistry(),
            waits=Waits(loop_call_s=wait_s),
            brake=self.brake,
            now=time.monotonic,
            wall=lambda: NOW,
            show=screen.show,
            said="list it",
            approvals=SessionApprovals("loop/k3f/approvals", screen.show, time.monotonic),
            keep=self.kept.__setitem__,
        )

    def run(self, tool: str = "shell") -> ToolDone | None:
        calls = [ToolCall(id="t4c1", name=tool, arguments="{}")]
        return next(self.calls.results(calls, together=False), None)


GONE = (Restarting("broker"), Crashed("broker", "KeyError"))


def test_a_request_has_the_owners_words_and_who_listens(runtime: Runtime, screen: Screen) -> None:
    bench = Bench(runtime, screen, ["done"])
    done = bench.run()
    assert done is not None
    assert done.content == "done"
    (request,) = bench.requests
    assert (request.said, request.listener) == ("list it", bench.calls.approvals)


@pytest.mark.parametrize("gone", GONE)
def test_a_pending_call_is_asked_again_of_a_broker_that_was_restarted(
    runtime: Runtime, screen: Screen, gone: CallError
) -> None:
    bench = Bench(runtime, screen, [asked(), gone], [asked(left_s=599.0), closed(), "done"])
    done = bench.run()
    assert done is not None
    assert done.content == "done"
    first, second = bench.requests
    assert first == second
    assert screen.kinds == ["approval_asked", "approval_closed"]


def test_it_is_asked_again_with_one_deadline_the_expiry_and_its_own_wait(
    runtime: Runtime, screen: Screen
) -> None:
    began_s = time.monotonic()
    bench = Bench(runtime, screen, [asked(), GONE[0]], ["done"])
    bench.run()
    assert bench.replies[1].deadline_s == pytest.approx(began_s + 600.0 + 5.0, abs=3.0)


@pytest.mark.parametrize("gone", GONE)
@pytest.mark.parametrize("news", [[], [asked(), closed()], [asked(call="another")]])
def test_a_call_that_is_not_pending_is_never_asked_again(
    runtime: Runtime, screen: Screen, gone: CallError, news: list[object]
) -> None:
    bench = Bench(runtime, screen, [*news, gone], ["twice"])
    done = bench.run()
    assert done is not None
    assert EFFECT_UNKNOWN in done.content
    assert "try again" not in done.content
    assert len(bench.requests) == 1


@pytest.mark.parametrize("error", [Refusal("no"), Dead("broker"), Busy("broker")])
def test_no_other_end_of_a_pending_call_is_asked_again(
    runtime: Runtime, screen: Screen, error: CallError | Refusal
) -> None:
    bench = Bench(runtime, screen, [asked(), error], ["twice"])
    bench.run()
    assert len(bench.requests) == 1


def test_a_broker_that_crashes_on_it_each_time_is_given_up(runtime: Runtime, screen: Screen) -> None:
    bench = Bench(runtime, screen, *[[asked(), GONE[1]] for _ in range(ASKED_AGAIN + 3)])
    done = bench.run()
    assert done is not None
    assert not done.ok
    assert len(bench.requests) == 1 + ASKED_AGAIN


def test_a_call_is_waited_for_as_long_as_the_broker_says(runtime: Runtime, screen: Screen) -> None:
    """The answer comes after the loop's own wait, and is taken all the same."""
    bench = Bench(runtime, screen, [asked(), 60.0], wait_s=0.2)

    def answer() -> None:
        bench.replies[0].set(outcome(bench.requests[0], "late, in time"))

    timer = Timer(0.6, answer)
    timer.start()
    done = bench.run()
    timer.join(5.0)
    assert done is not None
    assert done.content == "late, in time"


def test_a_pulled_brake_ends_the_wait_for_an_approval_and_asks_nothing_again(
    runtime: Runtime, screen: Screen
) -> None:
    bench = Bench(runtime, screen, [asked(), 600.0])
    timer = Timer(0.1, bench.brake.pull)
    timer.start()
    assert bench.run() is None
    timer.join(5.0)
    assert bench.replies[0].abandoned
    assert len(bench.requests) == 1


def test_the_audits_number_and_the_whole_of_a_cut_result_go_on(runtime: Runtime, screen: Screen) -> None:
    request = ToolRequest(session="k3f", turn=4, call="t4c1", tool="shell", arguments="{}")
    found = replace(outcome(request, "cut"), audited=17, whole="the whole text")
    bench = Bench(runtime, screen, [found])
    done = bench.run()
    assert done is not None
    assert (done.audited, done.content) == (17, "cut")
    assert bench.kept == {"t4c1": "the whole text"}


def test_a_whole_result_that_cannot_be_kept_is_told_and_the_turn_goes_on(
    runtime: Runtime, screen: Screen, logged: list[str]
) -> None:
    request = ToolRequest(session="k3f", turn=4, call="t4c1", tool="shell", arguments="{}")
    bench = Bench(runtime, screen, [replace(outcome(request, "cut"), whole="secret text")])

    def fail(_call: str, _text: str) -> None:
        raise OSError(28, "No space left on device")

    bench.calls = replace(bench.calls, keep=fail)
    done = bench.run()
    assert done is not None
    assert done.content == "cut"
    assert logged == ["the whole result of t4c1 of session k3f was not kept: no space left on device"]
