"""What the audit adds to a call: its log's append and sync alone, and with intent, outcome and settling.

The claim is that a call waits for one more sync and not for two, since the outcome's runs beside the log's.
It is measured on the disk at hand, whose sync may cost less than the three messages, and on the same one with
syncs that take 10 ms longer, as on a busy or a plain disk.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from actors.audit import Audit
from actors.base import Mailbox, Runtime
from bench.row import Row
from bxcore.labels import NEW_SESSION
from bxcore.messages.audit import Settled
from bxcore.records import ToolResult
from bxio.session_store import OpenSession, SessionStore
from tests.doubles.audit_process import intent, outcome

ROWS = ("audited_call_p50", "audited_call_slow_disk_p50")
CALLS = 1_000
SLOW_CALLS = 150
SLOW_S = 0.010
ARGUMENTS = 50
"""Characters of a call's arguments, as many as an ordinary reading of a file has."""
WAIT_S = 10.0
MOST_RATIO = 1.25
"""A quarter for what two syncs side by side cost each other, and for the three messages."""
MOST_RATIO_HERE = 2.0
"""A disk that syncs in 0.2 ms is not waited for but worked for: two syncs share the cores and its queue."""


@dataclass(slots=True)
class Bench:
    """The real audit and a real session's log, and a bare file beside them; ``call`` counts the calls."""

    audit: Mailbox
    log: OpenSession
    bare: int
    call: int = 0
    line: bytes = field(default=b"x" * 399 + b"\n")

    def unaudited(self) -> None:
        """The log alone: the result is on disk."""
        result = ToolResult(
            call=f"t1c{self.call}",
            tool="read_file",
            content="x" * 200,
            ok=True,
            level=NEW_SESSION.level,
            untrusted=False,
        )
        self.log.append([result], sync=True)

    def audited(self) -> None:
        """As the broker and the turn do it; the call itself takes no time."""
        self.call += 1
        self.audit.call(intent(f"t1c{self.call}", ARGUMENTS), WAIT_S)
        number = self.audit.call(outcome(f"t1c{self.call}"), WAIT_S)
        self.unaudited()
        self.audit.call(Settled(number=number), WAIT_S)

    def one_sync(self) -> None:
        """One line, appended and synced."""
        os.write(self.bare, self.line)
        os.fdatasync(self.bare)

    def one_sync_and_messages(self) -> None:
        """The same, and three messages that the audit answers without the disk."""
        self.one_sync()
        for _ in range(3):
            self.audit.call(Settled(number=1), WAIT_S)


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the wanted rows."""
    with made() as bench:
        if "audited_call_p50" in wanted:
            yield row(
                "audited_call_p50",
                "a line appended to a file and synced, and three empty asks of the audit",
                taken(bench, bench.one_sync_and_messages, CALLS),
                MOST_RATIO_HERE,
            )
        if "audited_call_slow_disk_p50" in wanted:
            with slow_syncs():
                times = taken(bench, bench.one_sync, SLOW_CALLS)
            yield row("audited_call_slow_disk_p50", "a line appended to a file and synced", times, MOST_RATIO)


def row(name: str, reference: str, times: tuple[list[float], ...], goal: float) -> Row:
    """What the audit adds at the median, over the median of its reference."""
    alone, audited, one = (median(each) * 1e3 for each in times)
    return Row(
        row=name,
        value=audited - alone,
        unit="ms",
        reference=reference,
        reference_value=one,
        goal=goal,
        of="ratio",
    )


@contextmanager
def slow_syncs() -> Iterator[None]:
    """Every sync of this process takes 10 ms longer, side by side with others."""
    real = os.fdatasync

    def slow(descriptor: int) -> None:
        real(descriptor)
        time.sleep(SLOW_S)

    os.fdatasync = slow  # type: ignore[assignment]  # the audit and the log hand it a number
    try:
        yield
    finally:
        os.fdatasync = real


@contextmanager
def made() -> Iterator[Bench]:
    """Below the current folder, for the one of temporary files may be in memory and sync nothing."""
    runtime = Runtime()
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as name:
        folder = Path(name)
        log = SessionStore(folder / "sessions").open("home")
        bare = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        path = folder / "audit.jsonl"
        box = runtime.start("audit", lambda context: Audit(context, path=path, now=lambda: "2026-11-02"))
        try:
            box.call(intent("t0c1", ARGUMENTS), WAIT_S)
            yield Bench(box, log, bare)
        finally:
            runtime.stop("audit")
            os.close(bare)
            log.close()


def taken(bench: Bench, reference: Callable[[], object], calls: int) -> tuple[list[float], ...]:
    """The seconds of each; the three take turns, so that what else the disk does falls on all."""
    works = (bench.unaudited, bench.audited, reference)
    times: tuple[list[float], ...] = ([], [], [])
    for _ in range(calls):
        for work, seconds in zip(works, times, strict=True):
            seconds.append(timed(work))
    return times


def timed(work: Callable[[], object]) -> float:
    """Seconds of one piece of work."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
