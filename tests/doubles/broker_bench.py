"""A real broker and a real audit, on a folder of their own; memory and runner are played by the test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from actors.audit import Audit
from actors.base import Context, Mailbox, Reply
from actors.broker import Broker, Settings
from actors.broker_grants import OwnersGrants
from bxcore.address import Delivery
from bxcore.grants import Grant, GrantProblem, Grants, Mode
from bxcore.labels import NEW_SESSION, Label
from bxcore.messages.broker import (
    AnswerApproval,
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalClosed,
    ApprovalNews,
    ApprovalView,
    ListApprovals,
    ToolOutcome,
    ToolRequest,
)
from bxcore.messages.memory import Recall
from bxcore.messages.runner import RunTool
from bxcore.records import Record, ToolResult
from bxcore.supervision import ChildSpec, SupervisorSpec
from bxcore.tool_answer import ToolAnswer
from bxio.approval_journal import ApprovalJournal
from bxio.session_store import SessionStore
from tests.kit.kit import Kit
from tests.kit.probe import Probe

FOREVER_S = 1000.0
NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
LS = '{"command":"ls"}'


def grant(tool: str = "shell", mode: Mode = Mode.ASK, **changed: Any) -> Grant:
    """A grant as its file would make it; its text tells it from every other."""
    fields = {"id": "house", **changed}
    return Grant(tool=tool, mode=mode, text=f"{tool} {mode} {sorted(fields.items())}", **fields)


def make_broker(context: Context, folder: Path, **changed: Any) -> Broker:
    """A broker whose neighbours are those of its runtime, on ``folder``."""
    box = context.runtime.mailbox
    parts: dict[str, Any] = {
        "memory": box("memory"),
        "audit": box("audit"),
        "runner": box("runner"),
        "sessions": SessionStore(folder / "sessions"),
        "settings": Settings(),
        "grants": OwnersGrants(lambda: Grants((), ())),
        "journal": ApprovalJournal(folder / "approvals.jsonl", "this process"),
        "wall": lambda: NOON,
        **changed,
    }
    return Broker(context, **parts)


@dataclass
class Surface:
    """Who listens: keeps the news, and answers as ``delivery`` says."""

    name: str = "surface"
    delivery: Delivery = Delivery.ACCEPTED
    news: list[ApprovalNews] = field(default_factory=list)

    def tell(self, message: ApprovalNews, *, deadline_s: float | None = None) -> Delivery:
        del deadline_s
        self.news.append(message)
        return self.delivery

    @property
    def asked(self) -> list[ApprovalView]:
        return [news.approval for news in self.news if isinstance(news, ApprovalAsked)]

    @property
    def closed(self) -> list[str]:
        return [news.sentence for news in self.news if isinstance(news, ApprovalClosed)]


@dataclass
class BrokerBench:
    """A supervised broker between neighbours that the test plays and the real audit."""

    kit: Kit
    folder: Path
    memory: Probe
    runner: Probe
    audit: Mailbox
    box: Mailbox
    surface: Surface
    owners: list[Grant]
    """What the next load of the owner's grants gives."""
    problems: list[GrantProblem]
    """What it finds wrong."""
    told: list[tuple[str, ...]]
    """What was told of them, at each load."""
    _number: int = field(default=0)

    def ask(self, tool: str = "recall", arguments: str = '{"query":"key"}', **changed: Any) -> Reply:
        self._number += 1
        request = ToolRequest(
            session=changed.get("session", "k3f"),
            turn=changed.get("turn", 1),
            call=changed.get("call", f"c{self._number}"),
            tool=tool,
            arguments=arguments,
            said=changed.get("said"),
            listener=changed.get("listener", self.surface),
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
        self.memory.reply(ToolAnswer(ok=True, content=content, label=label))
        return self.outcome(reply)

    def ran(self, reply: Reply, content: str = "done", label: Label = NEW_SESSION) -> ToolOutcome:
        """Let the runner answer the call, and give what came of it."""
        self.runner.expect(RunTool)
        self.runner.reply(ToolAnswer(ok=True, content=content, label=label))
        return self.outcome(reply)

    def say(self, code: str, *, approve: bool = True, **changed: Any) -> ApprovalAnswered:
        """The owner's word on a code."""
        message = AnswerApproval(code=code, approve=approve, by=changed.pop("by", "the chat"), **changed)
        found = self.box.call(message, 1.0)
        assert isinstance(found, ApprovalAnswered)
        return found

    def asked(self) -> str:
        """The code of the approval that was asked for last."""
        self.kit.settle()
        return self.surface.asked[-1].code

    def pending(self) -> tuple[ApprovalView, ...]:
        found = self.box.call(ListApprovals(), 1.0)
        assert isinstance(found, tuple)
        return found

    def lines(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The audit's records, those of the start left out."""
        lines = [json.loads(line) for line in (self.folder / "audit.jsonl").read_text().splitlines()]
        return [
            line
            for line in lines
            if line["kind"] == kind or (kind is None and line["kind"] != "grants_loaded")
        ]

    def restart(self) -> None:
        """Have the broker's actor crash, and come back."""
        before = self.box.epoch
        self.kit.crash("broker")
        self.kit.settle()
        life = self.kit.runtime.life("broker")
        assert life is not None
        assert life.started
        assert life.incarnation > before


def broker_bench(
    kit: Kit, folder: Path, *, grants: Sequence[Grant] = (), instance: str = "this process", **settings: Any
) -> BrokerBench:
    audit = kit.start(
        "audit", lambda context: Audit(context, path=folder / "audit.jsonl", now=lambda: "2026-11-02")
    )
    memory, runner, owners = kit.probe("memory"), kit.probe("runner"), list(grants)
    problems, told = list[GrantProblem](), list[tuple[str, ...]]()
    journal = ApprovalJournal(folder / "approvals.jsonl", instance)
    kept = OwnersGrants(lambda: Grants(tuple(owners), tuple(problems)), told.append)
    child = ChildSpec(
        name="broker",
        start=lambda context: make_broker(
            context,
            folder,
            settings=Settings(**settings),
            grants=kept,
            journal=journal,
        ),
    )
    kit.tree(SupervisorSpec(intensity=1000, children=(child,)))
    box = kit.runtime.mailbox("broker")
    return BrokerBench(kit, folder, memory, runner, audit, box, Surface(), owners, problems, told)


def log(folder: Path, *records: Record, session: str = "k3f") -> None:
    opened = SessionStore(folder / "sessions").open(session)
    opened.append(records)
    opened.close()


def result(label: Label) -> ToolResult:
    return ToolResult(
        call="c0", tool="recall", content="", ok=True, level=label.level, untrusted=label.untrusted
    )
