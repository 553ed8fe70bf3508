"""A process with a memory, an outbox and an embedded Honcho that logs turns until it is killed.

Run with a folder and a number of turns, and the URL of a Honcho in place of its own; prints the number of
each turn once its log is on disk. With no turns it sends what still waits, says ``done`` and ends.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from actors.base import Runtime
from actors.outbox import Delivery, Outbox
from bxcore.backoff import Backoff
from bxcore.decide import Workspace
from bxcore.messages.memory import TurnEnded
from bxio.embedded_honcho import EmbeddedHoncho
from bxio.honcho import HonchoClient, HonchoServer
from tests.doubles.memory_bench import MemoryBench

SESSION = "k3f"
DRAIN_S = 20.0
SETTLE_S = 0.4
"""Longer than the server outside may be late."""


def main(folder: Path, count: int, url: str | None) -> None:
    runtime = Runtime()
    honcho = EmbeddedHoncho(folder / "honcho.sqlite", agent="boxmaker")
    server = HonchoServer(transport=honcho.transport) if url is None else HonchoServer(url=url)
    bench = MemoryBench(folder=folder, asks=runtime.mailbox("asks"), outbox=runtime.mailbox("outbox"))
    delivery = Delivery(
        client=HonchoClient(server),
        workspaces={Workspace.TRUSTED: "boxmaker", Workspace.UNTRUSTED: "boxmaker-untrusted"},
        agent="boxmaker",
        ledger=bench.places.ledger,
        marks=folder / "delivered.jsonl",
        sessions=bench.sessions,
        settle_s=0.0 if url is None else SETTLE_S,
        backoff=Backoff(first_s=0.02, most_s=0.2),
    )
    runtime.start("outbox", lambda context: Outbox(context, delivery=delivery))
    memory = runtime.start("memory", bench.make)
    began = sum(record.kind == "user" for record in bench.sessions.read(SESSION))
    for turn in range(began + 1, began + count + 1):
        bench.turn(SESSION, f"turn {turn}", f"reply {turn}")
        print(turn, flush=True)  # noqa: T201 (what the test takes for acknowledged)
        memory.tell(TurnEnded(session=SESSION, turn=turn))
    drain(runtime, folder, began)
    runtime.stop("memory")
    runtime.stop("outbox")
    honcho.close()
    print("done", flush=True)  # noqa: T201


def drain(runtime: Runtime, folder: Path, turns: int) -> None:
    """Wait until every turn is marked."""
    until_s = time.monotonic() + DRAIN_S
    while (folder / "delivered.jsonl").read_bytes().count(b"\n") < turns and time.monotonic() < until_s:
        runtime.inspect("outbox", 0.05)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if sys.argv[3:] else None)
