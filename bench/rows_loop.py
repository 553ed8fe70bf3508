"""What a turn costs beside the model: alone, with tools, among fifty sessions, in syncs and in memory."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from threading import Event

from bench.loop_box import ServedLoop, served_loop
from bench.row import Row, percentile
from bench.rows_box import rss_mb

ROWS = (
    "turn_overhead_p50",
    "turn_overhead_p99",
    "turn_syncs",
    "turn_sync_time",
    "tool_round_p50",
    "tool_round_broker_p50",
    "fifty_sessions_overhead_p50",
    "live_session_rss",
)
TURNS = 150
WARM_UP = 10
ROUNDS = 5
COUNTED = 20
"""Turns whose syncs are counted."""
SESSIONS = 50
EACH = 6
THINKING_S = 2.0
"""What the model takes for an answer while fifty sessions talk; a small one on two cores takes longer."""


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the wanted rows."""
    if wanted & {"turn_overhead_p50", "turn_overhead_p99", "tool_round_p50", "tool_round_broker_p50"}:
        with served_loop() as box:
            yield from (row for row in alone(box) if row.row in wanted)
    if "turn_syncs" in wanted:
        yield syncs()
    if "turn_sync_time" in wanted:
        yield sync_time()
    if "fifty_sessions_overhead_p50" in wanted:
        yield fifty()
    if "live_session_rss" in wanted:
        yield live_rss()


def alone(box: ServedLoop) -> Iterator[Row]:
    """One session that talks, turns without and with tools in turn, so that a slow moment hits all."""
    taken: dict[str, list[float]] = {plan: [] for plan in ("", "clock", "recall")}
    bare: list[float] = []
    for number in range(WARM_UP + TURNS):
        for plan, kept in taken.items():
            kept.append(box.turn(f"me_{number}{plan} {' '.join([plan] * ROUNDS)}".strip(), "main"))
        bare.append(box.bare(f"me_{number}"))
    del bare[:WARM_UP], taken[""][:WARM_UP], taken["clock"][:WARM_UP], taken["recall"][:WARM_UP]
    model = median(bare) * 1e3
    for percent, goal in ((50, 30.0), (99, 90.0)):
        yield Row(
            row=f"turn_overhead_p{percent}",
            value=percentile(taken[""], percent) * 1e3 - model,
            unit="ms",
            reference="the model's answer alone, streamed to a bare client",
            reference_value=model,
            goal=goal,
        )
    plain = percentile(taken[""], 50)
    for row, plan in (("tool_round_p50", "clock"), ("tool_round_broker_p50", "recall")):
        yield Row(
            row=row,
            value=(percentile(taken[plan], 50) - plain) / ROUNDS * 1e3 - model,
            unit="ms",
            reference="the model's answer alone, streamed to a bare client",
            reference_value=model,
            goal=15.0,
        )


def syncs() -> Row:
    """The kernel's own count: those of the session's log, which the client waits for, of all of them."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        with served_loop(traced=trace) as box:
            box.turn("me_0", "main")
            before = _syncs(trace)
            for number in range(1, COUNTED + 1):
                box.turn(f"me_{number}", "main")
            box.control("tree")
            log, every = (now - then for now, then in zip(_syncs(trace), before, strict=True))
    return Row(
        row="turn_syncs",
        value=log / COUNTED,
        unit="syncs a turn",
        reference="all syncs of the box for a turn, most of them behind the reply",
        reference_value=every / COUNTED,
        goal=2,
    )


def _syncs(trace: Path) -> tuple[int, int]:
    """Syncs of a session's log so far, and of any file."""
    found = [line for line in trace.read_text(encoding="utf-8").splitlines() if "sync(" in line]
    return sum("/sessions/" in line for line in found), len(found)


def sync_time() -> Row:
    """What one of them takes on this disk, and what it takes of a turn's overhead."""
    with tempfile.TemporaryDirectory() as folder:
        one_s = one_sync(Path(folder) / "line")
    return Row(
        row="turn_sync_time",
        value=2 * one_s * 1e3,
        unit="ms of the turn's overhead",
        reference="one append of 400 bytes and its sync",
        reference_value=one_s * 1e3,
        goal=30.0,
    )


def one_sync(path: Path) -> float:
    """An append of 400 bytes and its sync, p50, in seconds."""
    taken = []
    with path.open("ab", buffering=0) as file:
        for _ in range(200):
            began_s = time.perf_counter()
            file.write(b"x" * 400)
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - began_s)
    return median(taken)


def fifty() -> Row:
    """Fifty sessions that all have a turn at once, again and again, against one that talks alone."""
    with served_loop(wait_s=THINKING_S) as box:
        single = [box.turn(f"me_{number}", "alone") - THINKING_S for number in range(5)]
        with ThreadPoolExecutor(SESSIONS) as pool:
            asked = pool.map(lambda place: talk(box, place), range(SESSIONS), timeout=300)
            many = [taken for each in asked for taken in each]
    return Row(
        row="fifty_sessions_overhead_p50",
        value=percentile(many, 50) * 1e3,
        unit="ms",
        reference="a session that talks alone",
        reference_value=median(single) * 1e3,
        goal=5,
        of="ratio",
    )


def talk(box: ServedLoop, place: int) -> list[float]:
    """The overheads of a session's turns but the first, which starts it; each begins at its own moment."""
    chance = random.Random(place)
    box.turn("me_0", f"s{place}")
    taken = []
    for number in range(1, EACH):
        Event().wait(chance.random() * THINKING_S)
        taken.append(box.turn(f"me_{number}", f"s{place}") - THINKING_S)
    return taken


def live_rss() -> Row:
    """Resident memory for each session that lives, of fifty, over a box in which one has spoken."""
    with served_loop() as box:
        for number in range(20):
            box.turn(f"me_{number}", "main")
        before = rss_mb(box.pid)
        for number in range(3):
            for place in range(SESSIONS):
                box.turn(f"me_{number}", f"s{place}")
        value = (rss_mb(box.pid) - before) / SESSIONS
    return Row(
        row="live_session_rss",
        value=value,
        unit="MB a session",
        reference="the box with one session",
        reference_value=before,
        goal=0.2,
    )
