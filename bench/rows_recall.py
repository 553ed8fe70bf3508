"""``recall`` at 50,000 and at a million messages, what it takes to store and to make anew, and its syncs."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from actors.base import Runtime
from bench.recall_child import TURNS_A_SESSION, texts
from bench.row import Row
from bxcore.records import Assistant, Record, SessionStart, Usage, User
from bxio.session_store import SessionStore
from tests.doubles.memory_bench import MemoryBench

ROWS = (
    "recall_50k_common_p50",
    "recall_50k_rare_p50",
    "recall_1m_common_p50",
    "recall_1m_rare_p50",
    "recall_1m_growth",
    "recall_store",
    "recall_live_syncs",
    "recall_rebuild",
)
LIMIT_S = 600.0
SIZES = {"50k": 25_000, "1m": 500_000}
"""Turns, of two messages each."""
COMMON_MS = {"50k": 2.0, "1m": 8.0}
RARE_MS = 1.0
GROWTH_MB = 40.0
STORE_US = 200.0
"""5,000 turns a second."""
REBUILD_US = 50.0
"""20,000 messages a second."""
LIVE = 40
SESSIONS = 200


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the wanted rows."""
    for size, count in SIZES.items():
        if any(size in row for row in wanted) or (size == "50k" and "recall_store" in wanted):
            yield from (row for row in sized(size, child(count)) if row.row in wanted)
    if "recall_live_syncs" in wanted:
        yield live_syncs()
    if "recall_rebuild" in wanted:
        yield rebuild()


def child(count: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench.recall_child", folder, str(count)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=True)
        found: dict[str, float] = json.loads(ran.stdout)
        return found


def sized(size: str, found: dict[str, float]) -> Iterator[Row]:
    for kind, goal in (("common", COMMON_MS[size]), ("rare", RARE_MS)):
        yield Row(
            row=f"recall_{size}_{kind}_p50",
            value=found[kind],
            unit="ms",
            reference=f"plain FTS5, best 5, the same words ({found['disk_mb']:.0f} MB of index on disk)",
            reference_value=found[f"plain_{kind}"],
            goal=goal,
        )
    yield Row(
        row=f"recall_{size}_growth",
        value=found["growth_mb"],
        unit="MB",
        reference=f"the index on disk; {found['mapped_mb']:.0f} MB mapped, the kernel's to take back",
        reference_value=found["disk_mb"],
        goal=GROWTH_MB,
    )
    if size == "50k":
        yield Row(
            row="recall_store",
            value=found["store_us"],
            unit="us a turn",
            reference="5,000 turns a second",
            reference_value=STORE_US,
            goal=STORE_US,
        )


def live_syncs() -> Row:
    """Syncs of the index's files for each turn that is taken in by itself, by the kernel's own count."""
    script = (
        "import sys; from pathlib import Path; from bench.recall_child import turns;"
        "from bxio.recall import RecallIndex; i = RecallIndex.open(Path(sys.argv[1]));"
        f"all = [t for _, s in turns({LIVE // 50 * 50 + 50}) for t in s][:{LIVE}];"
        "[i.add_turns(t.session, [t], size=1, upto=t.turn) or i.settle() for t in all]; i.close()"
    )
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        command = [
            "strace",
            "-f",
            "-o",
            str(trace),
            "-e",
            "trace=fsync,fdatasync",
            sys.executable,
            "-c",
            script,
        ]
        subprocess.run([*command, f"{folder}/recall.sqlite"], timeout=LIMIT_S, check=True)
        syncs = sum("sync(" in line for line in trace.read_text().splitlines())
    return Row(
        row="recall_live_syncs",
        value=syncs / LIVE,
        unit="syncs a turn",
        reference="one",
        reference_value=1.0,
        goal=1.0,
    )


def rebuild() -> Row:
    """A memory that starts without an index and with the logs of a year."""
    runtime = Runtime()
    with tempfile.TemporaryDirectory() as folder:
        asks, outbox = runtime.mailbox("asks"), runtime.mailbox("outbox")
        bench = MemoryBench(folder=Path(folder), asks=asks, outbox=outbox, save=False)
        write_logs(bench.sessions)
        first = runtime.start("memory", bench.make)  # decides all turns; the ledger is no part of the index
        settle(runtime)
        runtime.stop("memory")
        for path in Path(folder).glob("recall.*"):
            subprocess.run(["rm", "-r", str(path)], check=True, timeout=LIMIT_S)
        began_s = time.perf_counter()
        runtime.start(first.name, bench.make)
        settle(runtime)
        took_s = time.perf_counter() - began_s
        runtime.stop("memory")
    messages = SESSIONS * TURNS_A_SESSION * 2
    return Row(
        row="recall_rebuild",
        value=took_s / messages * 1e6,
        unit="us a message",
        reference="20,000 messages a second",
        reference_value=REBUILD_US,
        goal=REBUILD_US,
    )


def write_logs(store: SessionStore) -> None:
    log: list[Record] = []
    for number, (said, reply) in enumerate(texts(SESSIONS * TURNS_A_SESSION), 1):
        log += [
            User(text=said, speaker="owner", at="2026-11-02T10:00:00Z"),
            Assistant(content=reply),
            Usage(),
        ]
        if number % TURNS_A_SESSION == 0:
            opened = store.open(f"s{number // TURNS_A_SESSION}")
            opened.append([SessionStart(baseline="", log=f"l{number}"), *log])
            opened.close()
            log = []


def settle(runtime: Runtime) -> None:
    until_s, pause = time.monotonic() + LIMIT_S, threading.Event()
    while time.monotonic() < until_s:
        seen = runtime.inspect("memory", 1.0)
        if seen is not None and seen.facts and seen.facts.get("sessions_missing") == 0:
            return
        pause.wait(0.02)
    raise TimeoutError("the sessions are still taken in")
