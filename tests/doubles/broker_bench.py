"""A real broker and a real audit, on a folder of their own; the memory is played by the test."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from actors.audit import Audit
from actors.base import Mailbox, Reply
from actors.broker import Broker, Settings
from bxcore.labels import NEW_SESSION, Label
from bxcore.messages.broker import ToolOutcome, ToolRequest
from bxcore.messages.memory import Recall
from bxcore.records import Record, ToolResult
from bxcore.tool_answer import ToolAnswer
from bxio.session_store import SessionStore
from tests.kit.kit import Kit
from tests.kit.probe import Probe

FOREVER_S = 1000.0


@dataclass
class BrokerBench:
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
        self.memory.reply(ToolAnswer(ok=True, content=content, label=label))
        return self.outcome(reply)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "audit.jsonl").read_text().splitlines()]


def broker_bench(kit: Kit, folder: Path, **settings: Any) -> BrokerBench:
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
    return BrokerBench(kit, folder, memory, audit, box)


def log(folder: Path, *records: Record, session: str = "k3f") -> None:
    opened = SessionStore(folder / "sessions").open(session)
    opened.append(records)
    opened.close()


def result(label: Label) -> ToolResult:
    return ToolResult(
        call="c0", tool="recall", content="", ok=True, level=label.level, untrusted=label.untrusted
    )
