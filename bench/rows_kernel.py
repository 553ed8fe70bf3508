"""The actors' base against bare Pykka: an ask, a tell, and from a crash to the next answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from loguru import logger
from pykka import ActorDeadError, ActorRef, ThreadingActor

from actors.base import Actor, CallError, Mailbox, Runtime
from actors.supervising import start_root
from bench.row import Row, percentile
from bxcore.supervision import ChildSpec, SupervisorSpec

ROWS = ("kernel_ask_p50", "kernel_ask_p99", "kernel_crash_to_answer_p50", "kernel_crash_to_answer_p99")
ASKS = 20_000
ROUND = 200
CRASHES = 2_000
WAIT_S = 5.0


class Ours(Actor):
    def on_receive(self, message: Any) -> object:
        if message == "crash":
            raise ValueError
        return message


class Bare(ThreadingActor):
    use_daemon_thread = True

    def on_receive(self, message: Any) -> Any:
        if message == "crash":
            raise ValueError
        return message


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the wanted rows."""
    with kept() as box:
        if wanted & {"kernel_ask_p50", "kernel_ask_p99"}:
            yield from (row for row in asks(box) if row.row in wanted)
        if wanted & {"kernel_crash_to_answer_p50", "kernel_crash_to_answer_p99"}:
            yield from (row for row in crashes(box) if row.row in wanted)


@contextmanager
def kept() -> Iterator[Mailbox]:
    """An actor under a supervisor that never gives up; no crash reports, as bare Pykka's are off, too."""
    logger.disable("actors")
    runtime = Runtime()
    child = ChildSpec(name="child", start=Ours)
    root = start_root(runtime, SupervisorSpec(intensity=10 * CRASHES, period_s=1.0, children=(child,)))
    try:
        yield runtime.mailbox("child")
    finally:
        root.stop(WAIT_S)
        logger.enable("actors")


def asks(box: Mailbox) -> Iterator[Row]:
    """Both take turns, so that what else the machine does falls on both."""
    bare = Bare.start()
    ours: list[list[float]] = []
    theirs: list[list[float]] = []
    for _ in range(ASKS // ROUND):
        ours.append(timed(lambda: box.call("hi", WAIT_S), ROUND))
        theirs.append(timed(lambda: bare.ask("hi", timeout=WAIT_S), ROUND))
    bare.stop(timeout=WAIT_S)
    for percent in (50, 99):
        yield Row(
            row=f"kernel_ask_p{percent}",
            value=typical(ours, percent) * 1e6,
            unit="us",
            reference="an ask of a bare Pykka actor",
            reference_value=typical(theirs, percent) * 1e6,
            goal=1.3,
            of="ratio",
        )


def crashes(box: Mailbox) -> Iterator[Row]:
    """Told to crash and asked at once; the reference is a bare actor that its sender starts again."""
    ours: list[list[float]] = []
    theirs: list[list[float]] = []
    for _ in range(CRASHES // ROUND):
        ours.append(timed(lambda: crash_and_ask(box), ROUND))
        theirs.append(timed(crash_and_start_bare, ROUND))
    for percent in (50, 99):
        yield Row(
            row=f"kernel_crash_to_answer_p{percent}",
            value=typical(ours, percent) * 1e3,
            unit="ms",
            reference="a bare Pykka actor that its sender starts again by hand",
            reference_value=typical(theirs, percent) * 1e3,
            goal=5.0,
        )


def typical(rounds: list[list[float]], percent: float) -> float:
    """Each round's percentile, and of these the median: a round that the machine disturbed is one of many."""
    return median(percentile(taken, percent) for taken in rounds)


def timed(work: Callable[[], object], times: int) -> list[float]:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return taken


def crash_and_ask(box: Mailbox) -> None:
    box.tell("crash")
    while True:
        try:
            box.call("hi", WAIT_S)
        except CallError:
            continue
        return


def crash_and_start_bare() -> None:
    ref: ActorRef[Bare] = Bare.start()
    ref.tell("crash")
    while True:
        try:
            ref.ask("hi", timeout=WAIT_S)
        except ActorDeadError:
            ref = Bare.start()
            continue
        ref.stop(timeout=WAIT_S)
        return
