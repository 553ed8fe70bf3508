"""Many sessions, a moody memory, crashes of the broker: what must hold at any moment, on many seeds."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from loguru import logger

from actors.audit import Audit
from actors.base import Answer, Failed, Reply
from bxcore.audit_chain import Head
from bxcore.labels import NEW_SESSION, Label, join
from bxcore.messages.broker import ToolOutcome, ToolRequest
from bxcore.records import SessionStart, ToolResult, User
from bxcore.supervision import ChildSpec, SupervisorSpec
from bxio import audit_reader
from bxio.approval_journal import ApprovalJournal
from bxio.session_store import SessionStore
from tests.doubles.broker_bench import make_broker
from tests.doubles.moody_memory import MoodyMemory
from tests.kit.kit import Kit

SEEDS = 10
STEPS = 40
SESSIONS = ("a", "b", "c")


@dataclass
class Played:
    """A session as its own actor would drive it: one call at a time, each result logged before the next."""

    store: SessionStore
    name: str
    label: Label = NEW_SESSION
    call: Reply | None = None
    asked: list[str] = field(default_factory=list)

    def begin(self) -> None:
        opened = self.store.open(self.name)
        opened.append([SessionStart(baseline=""), User(text="hi", speaker="owner")])
        opened.close()

    def next_call(self, kit: Kit, chance: random.Random) -> None:
        if self.call is not None and self.call.pending:
            return
        number = len(self.asked)
        tool, arguments = chance.choice(
            [
                ("recall", json.dumps({"query": f"q{number}"})),
                ("memory", json.dumps({"action": "add", "file": "notes", "text": f"n{number}"})),
                ("shell", '{"command":"ls"}'),
            ]
        )
        self.asked.append(f"{self.name}{number}")
        request = ToolRequest(session=self.name, turn=1, call=self.asked[-1], tool=tool, arguments=arguments)
        self.call = kit.runtime.mailbox("broker").ask(request, kit.now() + 120.0)

    def take_in(self) -> None:
        """A result is logged with its label; the session's label may only have risen."""
        if self.call is None or self.call.pending:
            return
        outcome, self.call = self.call.peek(), None
        match outcome:
            case Answer(ToolOutcome() as found):
                assert found.session_label == join(found.session_label, self.label, found.label)
                self.label = found.session_label
                self.log(found)
            case Failed():
                pass
            case _:
                raise AssertionError("a call was left without an answer")

    def log(self, found: ToolOutcome) -> None:
        opened = self.store.open(self.name)
        label = found.label
        opened.append(
            [
                ToolResult(
                    call=found.call,
                    tool=found.tool,
                    content=found.content,
                    ok=found.ok,
                    level=label.level,
                    untrusted=label.untrusted,
                )
            ]
        )
        opened.close()


def tree(folder: Path, kit: Kit, chance: random.Random) -> SupervisorSpec:
    journal = ApprovalJournal(folder / "approvals.jsonl", "this process")
    return SupervisorSpec(
        intensity=1000,
        children=(
            ChildSpec(
                name="audit",
                start=lambda context: Audit(context, path=folder / "audit.jsonl", now=lambda: "now"),
            ),
            ChildSpec(name="memory", start=lambda context: MoodyMemory(context, chance)),
            ChildSpec(
                name="broker",
                start=lambda context: make_broker(context, folder, journal=journal),
            ),
        ),
    )


def play(kit: Kit, folder: Path, chance: random.Random) -> list[Played]:
    kit.tree(tree(folder, kit, chance))
    sessions = [Played(SessionStore(folder / "sessions"), name) for name in SESSIONS]
    for session in sessions:
        session.begin()
    for _ in range(STEPS):
        for session in sessions:
            session.take_in()
            session.next_call(kit, chance)
        if chance.random() < 0.1:
            kit.crash(chance.choice(["broker", "memory", "audit"]))
        kit.advance(chance.choice([0.0, 0.1, 10.0]))
    kit.advance(121.0)
    for session in sessions:
        session.take_in()
    return sessions


@pytest.mark.timeout(120)
def test_whatever_happens_the_label_only_rises_and_the_audit_is_whole(tmp_path: Path) -> None:
    logger.disable("actors")
    try:
        for seed in range(SEEDS):
            folder = tmp_path / str(seed)
            folder.mkdir()
            kit = Kit(seed)
            sessions = play(kit, folder, random.Random(seed))
            kit.letters.read_all()
            assert kit.close() == [], f"seed {seed}"
            check(folder, sessions, f"seed {seed}")
    finally:
        logger.enable("actors")


def check(folder: Path, sessions: list[Played], seed: str) -> None:
    """Every call decided once, no outcome without its intent, and no effect without a line before it."""
    assert isinstance(audit_reader.verify(folder / "audit.jsonl"), Head), seed
    lines: list[dict[str, Any]] = [
        json.loads(line) for line in (folder / "audit.jsonl").read_text().splitlines()
    ]
    intents = [line["call"] for line in lines if line["kind"] == "intent"]
    outcomes = [line["call"] for line in lines if line["kind"] == "outcome"]
    asked = {call for session in sessions for call in session.asked}
    assert len(intents) == len(set(intents)), seed
    assert len(outcomes) == len(set(outcomes)), seed
    assert set(outcomes) <= {line["call"] for line in lines if line.get("decision") == "allowed"}, seed
    assert set(intents) <= asked, seed
    assert len(intents) > len(asked) / 2, seed
