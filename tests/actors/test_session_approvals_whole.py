"""A whole turn with the real broker and the real audit: asked, answered, restarted in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.audit import Audit
from actors.base import Actor, Context, Mailbox, Reply, Runtime, Why
from actors.broker_grants import OwnersGrants
from actors.kernel.letter import Letter, Piped
from actors.supervising import Root, start_root
from bxcore.grants import Grants
from bxcore.labels import Label, Level
from bxcore.messages.broker import AnswerApproval, ApprovalAsked, ListApprovals
from bxcore.messages.loop import Notice, Say, StopTurn, ToolEnded, TurnEvent, TurnResult
from bxcore.messages.runner import RunTool
from bxcore.supervision import ChildSpec, SupervisorSpec
from bxcore.tool_answer import ToolAnswer
from bxio.approval_journal import ApprovalJournal
from tests.doubles.broker_bench import grant, make_broker
from tests.doubles.loop_bench import LoopBench, kinds
from tests.doubles.model_server import Step
from tests.kit.leaks import Letters

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
SHELL: Step = {"call": ["call_tool", {"name": "shell", "arguments": {"command": "ls"}}]}
Make = Callable[..., LoopBench]


class RunnerDesk(Actor):
    """Runs nothing; notes each order, and answers with a file's name."""

    def __init__(self, context: Context, ran: list[RunTool]) -> None:
        super().__init__(context)
        self._ran = ran

    def on_receive(self, message: RunTool) -> object:
        self._ran.append(message)
        return ToolAnswer(ok=True, content="blue.txt", label=UNTRUSTED)


class Box:
    """A loop whose broker, audit and supervisor are the real ones."""

    def __init__(self, bench: LoopBench, runtime: Runtime) -> None:
        self.bench, self.runtime, self.ran = bench, runtime, list[RunTool]()
        folder: Path = bench.folder
        runtime.start("audit", lambda context: Audit(context, path=folder / "audit.jsonl", now=lambda: "now"))
        runtime.start("runner", lambda context: RunnerDesk(context, self.ran))
        self.root = self.start_broker("first")

    def start_broker(self, instance: str) -> Root:
        journal = ApprovalJournal(self.bench.folder / "approvals.jsonl", instance)
        child = ChildSpec(
            name="broker",
            start=lambda context: make_broker(
                context,
                self.bench.folder,
                journal=journal,
                grants=OwnersGrants(lambda: Grants((grant(),), ())),
            ),
        )
        return start_root(self.runtime, SupervisorSpec(children=(child,)))

    @property
    def broker(self) -> Mailbox:
        return self.runtime.mailbox("broker")

    def say(self, **changed: Any) -> Reply:
        fields = {"answers": True, "owner": True, "listener": self.bench.listener.box, **changed}
        say = Say(session="k3f", text="list it", speaker="anna", **fields)
        reply = self.bench.ask_later(say)
        assert isinstance(reply, Reply)
        return reply

    def until(self, kind: type[TurnEvent]) -> Any:
        """The next event of that kind."""
        while True:
            event = self.bench.listener.expect(object, within_s=5.0)
            if isinstance(event, kind):
                return event

    def answer(self, code: str, *, approve: bool = True) -> None:
        self.broker.call(AnswerApproval(code=code, approve=approve, by="the chat"), 5.0)

    def crash_broker(self) -> None:
        def burst(_: list[Any]) -> Any:
            raise RuntimeError("crashed by the test")

        before = self.broker.epoch
        self.broker.deliver(Letter(Piped(burst, list), epoch=before))
        assert self.broker.call(ListApprovals(), 5.0)
        assert self.broker.epoch > before


@pytest.fixture
def make(bench: Make, runtime: Runtime) -> Iterator[Callable[..., Box]]:
    made: list[Box] = []

    def make_box(*steps: Step) -> Box:
        made.append(Box(bench(*steps, broker=False), runtime))
        return made[-1]

    yield make_box
    for box in made:
        box.root.stop(5.0)


def result_of(reply: Reply) -> TurnResult:
    found = reply.get(10.0)
    assert isinstance(found, TurnResult)
    return found


def test_a_call_is_asked_approved_run_and_shown_with_its_label(make: Callable[..., Box]) -> None:
    box = make(SHELL, {"say": "there is blue.txt"})
    reply = box.say()
    view = box.until(ApprovalAsked).approval
    assert (view.shown, view.turn) == ('shell {"command":"ls","timeout_s":60}', 1)
    assert box.ran == []
    box.answer(view.code)
    result = result_of(reply)
    assert (result.reply, result.label) == ("there is blue.txt", UNTRUSTED)
    (tool,) = result.tools
    assert (tool.content, tool.ok, tool.label) == ("blue.txt", True, UNTRUSTED)
    assert len(box.ran) == 1
    assert kinds(box.bench.events()) == ["approval_closed", "tool_ended", "text_delta"]


def test_a_denied_call_is_a_failed_result_and_the_turn_goes_on(make: Callable[..., Box]) -> None:
    box = make(SHELL, {"say": "as you wish"})
    reply = box.say()
    box.answer(box.until(ApprovalAsked).approval.code, approve=False)
    ended = box.until(ToolEnded)
    assert (ended.ok, ended.content.split(",")[0]) == (False, "the owner denied this call")
    assert result_of(reply).reply == "as you wish"
    assert box.ran == []


@pytest.mark.parametrize("changed", [{"answers": False}, {"listener": None, "answers": False}])
def test_where_nobody_can_answer_the_call_is_denied_at_once(
    make: Callable[..., Box], changed: dict[str, Any]
) -> None:
    box = make(SHELL, {"say": "so be it"})
    result = result_of(box.say(**changed))
    assert result.tools[0].content.startswith("nobody could put this call to the owner")


def test_a_pending_call_outlives_a_crash_of_the_broker(make: Callable[..., Box]) -> None:
    box = make(SHELL, {"say": "there is blue.txt"})
    reply = box.say()
    code = box.until(ApprovalAsked).approval.code
    box.crash_broker()
    assert [view.code for view in box.broker.call(ListApprovals(), 5.0)] == [code]
    box.answer(code)
    result = result_of(reply)
    assert (result.reply, result.tools[0].content) == ("there is blue.txt", "blue.txt")
    assert len(box.ran) == 1
    assert "approval_asked" not in kinds(box.bench.events()), "it was shown once"


def test_a_stop_ends_the_wait_for_the_owner_and_withdraws_the_question(
    make: Callable[..., Box], letters: Letters
) -> None:
    box = make(SHELL)
    reply = box.say()
    box.until(ApprovalAsked)
    assert box.bench.ask(StopTurn(session="k3f")) is True
    assert result_of(reply).failed == "stopped"
    assert box.broker.call(ListApprovals(), 5.0) == ()
    assert box.ran == []
    letters.expect("broker", Why.LATE)


def test_a_turn_whose_call_waited_when_the_box_ended_is_told_so(
    make: Callable[..., Box], letters: Letters
) -> None:
    """As after a kill: the log has the call without a result, the journal the approval without an end."""
    box = make(SHELL, {"say": "hello again"})
    box.say()
    code = box.until(ApprovalAsked).approval.code
    log = (box.bench.folder / "sessions" / "k3f" / "0.jsonl").read_bytes()
    journal = (box.bench.folder / "approvals.jsonl").read_bytes()
    box.runtime.stop("loop")
    box.runtime.stop("sessions")  # first, so that no turn goes on without the broker
    box.root.stop(5.0)
    (box.bench.folder / "sessions" / "k3f" / "0.jsonl").write_bytes(log)
    (box.bench.folder / "approvals.jsonl").write_bytes(journal)
    box.bench.events()
    box.root = box.start_broker("second")
    box.bench.restart_everything()
    result = result_of(box.say())
    assert result.reply == "hello again"
    notice = box.until(Notice).text
    assert "call_tool: it waited for the owner's approval when the box ended; it did not run" in notice
    assert "unknown" not in notice
    assert box.ran == []
    late = box.broker.call(AnswerApproval(code=code, approve=True, by="bxctl"), 5.0)
    assert (late.taken, late.known) == (False, True)
    letters.read_all()


@pytest.mark.parametrize(("owner", "said"), [(True, "list it"), (False, None)])
def test_only_the_owners_own_words_can_name_a_destination(bench: Make, owner: bool, said: str | None) -> None:  # noqa: FBT001
    box = bench({"call": ["recall", {"query": "x"}]}, {"say": "done"})
    box.ask(Say(session="k3f", text="list it", owner=owner, answers=True))
    (request,) = box.requests
    assert (request.said, request.listener is not None) == (said, True)
