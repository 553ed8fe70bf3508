"""What must hold of any grants, sessions and calls, with the broker restarted at any point (spec 2)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from loguru import logger

from actors.audit import Audit
from actors.base import Answer, Failed, Late, Reply
from actors.broker_grants import OwnersGrants
from bxcore.audit_chain import Head
from bxcore.grants import Grants
from bxcore.labels import NEW_SESSION, OWN_WORDS, Label, join
from bxcore.messages.broker import (
    AnswerApproval,
    ListApprovals,
    ReloadGrants,
    SessionLabel,
    ToolOutcome,
    ToolRequest,
)
from bxcore.policy import Ruling
from bxcore.records import SessionStart, ToolResult, User
from bxcore.session_fold import label_of
from bxcore.supervision import ChildSpec, SupervisorSpec
from bxio import audit_reader
from bxio.approval_journal import ApprovalJournal
from bxio.session_store import SessionStore
from tests.doubles.broker_bench import NOON, Surface, make_broker
from tests.doubles.strict_runner import CALLS, Rules, StrictRunner, any_grants
from tests.kit.kit import Kit

SEEDS = 8
STEPS = 50
SESSIONS = ("a", "b", "c")


@dataclass
class Played:
    """A session as its actor drives it: one call at a time, each result on disk before the next."""

    name: str
    store: SessionStore
    rules: Rules
    surface: Surface = field(default_factory=Surface)
    call: Reply | None = None
    turn: int = 0
    number: int = 0
    in_turn: int = 0
    expected: dict[str, Ruling] = field(default_factory=dict)
    """What the policy said of each call on the label that the broker had before it."""

    def append(self, *records: Any) -> None:
        opened = self.store.open(self.name)
        opened.append(records)
        opened.close()

    def begin(self) -> None:
        self.append(SessionStart(baseline=""))
        self.rules.labels[self.name] = NEW_SESSION
        self.next_turn()

    def next_turn(self) -> None:
        self.append(User(text="go on", speaker="owner"))
        self.turn, self.in_turn = self.turn + 1, 0

    def next_call(self, kit: Kit, chance: random.Random) -> None:
        box = kit.runtime.mailbox("broker")
        if self.call is not None:
            return
        if self.in_turn >= 8:
            self.next_turn()
        label = box.call(SessionLabel(session=self.name), 5.0)
        self.number += 1
        self.in_turn += 1
        call, (tool, form) = f"{self.name}{self.number}", chance.choice(CALLS)
        arguments = form.format(self.number)
        self.rules.asked[self.name, call] = tool, arguments
        self.expected[call] = self.rules.ruling(tool, arguments, label)
        request = ToolRequest(
            session=self.name,
            turn=self.turn,
            call=call,
            tool=tool,
            arguments=arguments,
            listener=chance.choice([self.surface, self.surface, self.surface, None]),
        )
        self.call = box.ask(request, kit.now() + 120.0)

    def take_in(self) -> None:
        """A result is logged with its label; a call without an answer is logged as a failed one."""
        if self.call is None or self.call.pending:
            return
        outcome, self.call = self.call.peek(), None
        before = self.rules.labels[self.name]
        match outcome:
            case Answer(ToolOutcome() as found):
                least = join(before, found.label)
                if join(found.session_label, least) != found.session_label:
                    self.rules.faults.append(f"{found.call}: the label fell to {found.session_label}")
                self.log(found.label)
            case Failed() | Late():
                self.log(OWN_WORDS)
            case _:
                raise AssertionError(outcome)

    def log(self, label: Label) -> None:
        self.append(
            ToolResult(
                call=f"{self.name}{self.number}",
                tool="x",
                content="",
                ok=True,
                level=label.level,
                untrusted=label.untrusted,
            )
        )
        self.rules.labels[self.name] = join(self.rules.labels[self.name], label)
        assert self.rules.labels[self.name] == label_of(self.store.read(self.name))


@dataclass
class Play:
    """One seed's world: the real broker and audit, who runs being strict, and chance for all else."""

    kit: Kit
    folder: Path
    chance: random.Random
    instance: int = 0

    def __post_init__(self) -> None:
        self.rules = Rules(folder=self.folder, now=NOON, owners=any_grants(self.chance, NOON))
        store = SessionStore(self.folder / "sessions")
        self.sessions = [Played(name, store, self.rules) for name in SESSIONS]
        self.journal = ApprovalJournal(self.folder / "approvals.jsonl", "one")

    def tree(self) -> SupervisorSpec:
        folder, rules = self.folder, self.rules
        return SupervisorSpec(
            intensity=10_000,
            children=(
                ChildSpec(
                    name="audit",
                    start=lambda context: Audit(context, path=folder / "audit.jsonl", now=lambda: "now"),
                ),
                ChildSpec(name="memory", start=lambda context: StrictRunner(context, rules, self.chance)),
                ChildSpec(name="runner", start=lambda context: StrictRunner(context, rules, self.chance)),
                ChildSpec(
                    name="broker",
                    start=lambda context: make_broker(
                        context,
                        folder,
                        journal=self.journal,
                        grants=OwnersGrants(lambda: Grants(tuple(rules.owners), ())),
                    ),
                ),
            ),
        )

    def run(self) -> None:
        self.kit.tree(self.tree())
        for session in self.sessions:
            session.begin()
        for _ in range(STEPS):
            for session in self.sessions:
                session.take_in()
                session.next_call(self.kit, self.chance)
            self.something()
            self.kit.advance(self.chance.choice([0.0, 0.0, 0.1, 40.0]))
        self.kit.advance(1000.0)
        for session in self.sessions:
            session.take_in()
            assert session.call is None, "a call was left without an answer"

    def something(self) -> None:
        match self.chance.choice(["answer"] * 5 + ["crash", "stop", "expire", "reload", "nothing"]):
            case "answer":
                self.answer()
            case "crash":
                self.crash()
            case "stop":
                call = self.chance.choice(self.sessions).call
                if call is not None:
                    call.abandon()
            case "expire":
                self.kit.advance(600.5)
            case "reload":
                self.reload()
            case _:
                pass

    def reload(self) -> None:
        """While nothing is on its way to who runs, so that no order was made under the old set."""
        self.kit.settle()
        self.rules.owners = any_grants(self.chance, NOON)
        self.kit.runtime.mailbox("broker").call(ReloadGrants(), 5.0)

    def answer(self) -> None:
        box = self.kit.runtime.mailbox("broker")
        for view in box.call(ListApprovals(), 5.0):
            if self.chance.random() < 0.7:
                word = AnswerApproval(
                    code=view.code,
                    approve=self.chance.random() < 0.7,
                    for_session=self.chance.random() < 0.6,
                    by="the test",
                )
                box.call(word, 5.0)

    def crash(self) -> None:
        """The labels are those of the logs again, and what waits is what waited."""
        self.kit.settle()
        box = self.kit.runtime.mailbox("broker")
        waited = [view.code for view in box.call(ListApprovals(), 5.0)]
        self.kit.crash("broker")
        self.kit.settle()
        assert [view.code for view in box.call(ListApprovals(), 5.0)] == waited
        for session in self.sessions:
            session.take_in()
            label = box.call(SessionLabel(session=session.name), 5.0)
            assert label == self.rules.labels[session.name]


@pytest.fixture
def quiet() -> Iterator[None]:
    logger.disable("actors")
    yield
    logger.enable("actors")


def check(play: Play, seed: str) -> Counts:
    """After the play: the chain is whole, every call was decided as the policy says, on disk before all."""
    assert play.rules.faults == [], seed
    assert isinstance(audit_reader.verify(play.folder / "audit.jsonl"), Head), seed
    lines = play.rules.lines()
    counts = Counts()
    for session in play.sessions:
        for call, ruling in session.expected.items():
            own = [line for line in lines if line.get("call") == call]
            if not own:
                continue  # the broker crashed, or the turn was stopped, before it was decided
            first = own[0]
            asked = first["kind"] == "approval_opened"
            by_session = first["kind"] == "intent" and first.get("approval") is not None
            allowed = first["kind"] == "intent" and first["decision"] == "allowed" and not by_session
            counts.add(asked=asked, by_session=by_session, allowed=allowed)
            match ruling:
                case Ruling.ALLOW:
                    assert allowed, f"{seed}: {call} {own}"
                case Ruling.ASK:
                    assert asked or by_session, f"{seed}: {call} {own}"
                case Ruling.REFUSE:
                    assert not asked, f"{seed}: {call} {own}"
                    assert first["decision"].startswith("refused"), f"{seed}: {call} {own}"
    intents = [line["call"] for line in lines if line["kind"] == "intent"]
    assert len(intents) == len(set(intents)), f"{seed}: a call was decided twice"
    return counts


@dataclass
class Counts:
    """How often each way was gone, so that the test is known to have gone it."""

    asked: int = 0
    by_session: int = 0
    allowed: int = 0

    def add(self, **ways: bool) -> None:
        for name, way in ways.items():
            setattr(self, name, getattr(self, name) + way)


@pytest.mark.timeout(180)
def test_no_call_runs_that_may_not_whatever_happens_and_whenever_the_broker_restarts(
    tmp_path: Path, quiet: None
) -> None:
    total = Counts()
    for seed in range(SEEDS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        kit = Kit(seed)
        play = Play(kit, folder, random.Random(seed))
        try:
            play.run()
        finally:
            kit.letters.read_all()
            left = kit.close()
        assert left == [], f"seed {seed}"
        counts = check(play, f"seed {seed}")
        total.add(**vars(counts))
    assert min(vars(total).values()) > 3, total


def test_the_rules_find_what_they_are_for(tmp_path: Path) -> None:
    """A call that comes without an intent, or above its grant, is a fault."""
    rules = Rules(folder=tmp_path, now=NOON, labels={"a": NEW_SESSION}, asked={("a", "a1"): ("recall", "{}")})
    (tmp_path / "audit.jsonl").write_text("")
    rules.runs("a", "recall")
    assert rules.faults == ["a: recall ran without its intent on disk"]
    intent = {
        "kind": "intent",
        "session": "a",
        "call": "a1",
        "tool": "recall",
        "decision": "allowed",
        "grant": "none",
        "grant_sha256": "",
        "approval": None,
        "label": {"class": "public", "untrusted": False},
    }
    (tmp_path / "audit.jsonl").write_text(json.dumps(intent) + "\n")
    rules.faults.clear()
    rules._bytes = 0
    rules.runs("a", "recall")
    rules.runs("a", "recall")
    said = " | ".join(rules.faults)
    for part in ("below the log's", "not in force", "by the policy it is: refuse", "ran twice"):
        assert part in said
