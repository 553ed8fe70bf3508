"""A control box whose memory is a real one, with sessions that a test holds open, and a scripted outbox."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from actors.base import Runtime
from bxcore.memory_views import OutboxRow, OutboxView, Told
from bxcore.messages.loop import EndSession
from bxcore.messages.outbox import DropRow, RetryRows, ShowOutbox
from bxio.session_store import OpenSession
from tests.doubles.control_box import ControlBox, MakeBox, Scripted, answered
from tests.doubles.memory_bench import MemoryBench


class Remembering:
    """A box that remembers under ``folder``; its loop ends the sessions that the test opened."""

    def __init__(self, make: MakeBox, runtime: Runtime, folder: Path, **fields: Any) -> None:
        self.told: list[Any] = []
        """What came to the outbox."""
        self.rows: list[OutboxRow] = []
        self.bench = MemoryBench(
            folder=folder, asks=runtime.mailbox("asks"), outbox=runtime.mailbox("outbox"), **fields
        )
        self.opened: dict[str, OpenSession] = {}
        runtime.start(
            "outbox", lambda context: Scripted(context, script=self.outbox, seen=self.told, held=[])
        )
        self.box: ControlBox = make(memory=self.bench.make, script=self.script)
        self.ends: Callable[[str], None] = self.close

    def script(self, message: Any) -> object:
        """End a session as the loop does, and answer the rest like a box that is well."""
        if not isinstance(message, EndSession):
            return answered(message)
        self.ends(message.session)
        return True

    def outbox(self, message: Any) -> object:
        """Show the rows, retry and drop."""
        match message:
            case ShowOutbox(limit=limit):
                parked = sum(row.state == "parked" for row in self.rows)
                return OutboxView(
                    waiting=len(self.rows) - parked,
                    parked=parked,
                    oldest_s=90.0,
                    failing="",
                    next_try_s=0.0,
                    rows=tuple(self.rows[:limit]),
                )
            case RetryRows(id=wanted) | DropRow(id=wanted):
                known = wanted is None or wanted in {row.id for row in self.rows}
                return Told(ok=known, known=known, sentence=f"{message.kind} {wanted}")
            case _:
                return None

    def open(self, session: str) -> None:
        """Hold a session's log as its actor does."""
        self.opened[session] = self.bench.sessions.open(session)

    def close(self, session: str) -> None:
        """Let go of it."""
        self.opened.pop(session).close()


def row(name: str = "k3f.2", **changed: Any) -> OutboxRow:
    """A parked turn."""
    session, _, turn = name.partition(".")
    fields: dict[str, Any] = {"workspace": "trusted", "state": "parked", "why": "refused: 422", "age_s": 90.0}
    return OutboxRow(id=name, session=session, turn=int(turn), **(fields | changed))
