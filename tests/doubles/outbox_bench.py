"""An outbox on a real embedded Honcho; the test plays the memory, which logs turns and writes the ledger."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from actors.base import Mailbox, Runtime
from actors.outbox import Delivery, Outbox
from bxcore.backoff import Backoff
from bxcore.decide import Send, Skip, Workspace
from bxcore.memory_views import OutboxView, Told
from bxcore.messages.outbox import DropRow, RetryRows, ShowOutbox
from bxcore.outbox_facts import OutboxFacts
from bxcore.records import Assistant, Record, SessionStart, Usage, User
from bxcore.turn_decisions import Decided
from bxio.honcho import HonchoClient
from bxio.session_store import SessionStore
from bxio.turn_ledger import TurnLedger
from tests.doubles.honcho_wire import HonchoWire

TRUSTED = Send(Workspace.TRUSTED, "owner")
UNTRUSTED = Send(Workspace.UNTRUSTED, "owner")
AT = "2026-11-02T10:00:00Z"


@dataclass
class OutboxBench:
    runtime: Runtime
    folder: Path
    wire: HonchoWire
    ledger: TurnLedger
    turns: dict[str, int] = field(default_factory=dict)
    request_s: float = 5.0
    settle_s: float = 0.0
    save: bool = True
    facts: list[OutboxFacts] = field(default_factory=list)
    client: HonchoClient | None = None
    """Instead of the wire's."""
    log: str = ""
    """What tells the logs that are begun now from those of before."""

    def start(self, client: HonchoClient | None = None) -> Mailbox:
        delivery = Delivery(
            client=client or self.client or self.wire.client,
            workspaces={Workspace.TRUSTED: "boxmaker", Workspace.UNTRUSTED: "boxmaker-untrusted"},
            agent="boxmaker",
            ledger=self.folder / "ledger.jsonl",
            marks=self.folder / "delivered.jsonl",
            sessions=SessionStore(self.folder / "sessions"),
            request_s=self.request_s,
            settle_s=self.settle_s,
            backoff=Backoff(first_s=0.005, most_s=0.02),
            forgotten=self.folder / "forgotten.jsonl",
            save=self.save,
            publish=self.facts.append,
        )
        return self.runtime.start("outbox", lambda context: Outbox(context, delivery=delivery))

    def stop(self) -> None:
        assert self.runtime.stop("outbox")

    def decided(
        self, session: str, said: str, reply: str = "noted", action: Send | Skip = TRUSTED
    ) -> Decided:
        """Log a turn and write its decision into the ledger, as the memory does."""
        opened = SessionStore(self.folder / "sessions").open(session)
        turn: list[Record] = [User(text=said, speaker="owner", at=AT), Assistant(content=reply), Usage()]
        opened.append(turn if opened.records else [SessionStart(baseline="", log=self.log), *turn])
        opened.close()
        self.turns[session] = self.turns.get(session, 0) + 1
        row = Decided(session=session, turn=self.turns[session], size=1, action=action, log=self.log, at=AT)
        self.ledger.append([row])
        return row

    def begin_anew(self, session: str, log: str) -> None:
        """Delete a session's log by hand; the next turn begins another one."""
        (self.folder / "sessions" / session / "0.jsonl").unlink()
        self.turns.pop(session)
        self.log = log

    def done(self) -> int:
        """How many lines its marks have, as a next start would read them."""
        path = self.folder / "delivered.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0


def until(holds: Callable[[], bool], within_s: float = 10.0) -> None:
    deadline_s, pause = time.monotonic() + within_s, threading.Event()
    while not holds():
        assert time.monotonic() < deadline_s, "it did not come to that"
        pause.wait(0.003)


def show(box: Mailbox, limit: int = 50) -> OutboxView:
    found = box.call(ShowOutbox(limit=limit), 5.0)
    assert isinstance(found, OutboxView)
    return found


def retry(box: Mailbox, wanted: str | None = None) -> Told:
    found = box.call(RetryRows(id=wanted), 5.0)
    assert isinstance(found, Told)
    return found


def drop(box: Mailbox, wanted: str) -> Told:
    found = box.call(DropRow(id=wanted), 5.0)
    assert isinstance(found, Told)
    return found
