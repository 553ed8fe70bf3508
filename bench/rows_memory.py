"""``recall`` over 5,000 turns, alone and while an ``ask_memory`` hangs, through the memory's own mailbox."""

from __future__ import annotations

import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from actors.base import Mailbox, Runtime
from bench.row import Row, percentile
from bxcore import recall_query
from bxcore.args import AskMemoryArgs
from bxcore.finished_turns import FinishedTurn
from bxcore.labels import NEW_SESSION
from bxcore.messages.memory import AskMemory
from bxio.recall import RecallIndex
from tests.doubles.memory_bench import MemoryBench, recall

ROWS = ("recall_5000_p50", "recall_5000_p99", "recall_during_ask_p50", "recall_during_ask_p99")
SESSIONS = 500
TURNS = 10
WORDS = 5_000
MOST_RATIO = 1.5
QUERIES = 300
A_FEW = 25
LONG_S = 600.0


@dataclass(frozen=True)
class Bench:
    """A memory with 5,000 turns, the same index for plain queries, and the questions."""

    box: Mailbox
    plain: sqlite3.Connection
    questions: Sequence[str]


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the wanted rows."""
    with filled() as bench:
        alone, plain = in_turns(
            bench.questions, lambda question: recall(bench.box, question), lambda q: plainly(bench.plain, q)
        )
        hanging = bench.box.ask(
            AskMemory(args=AskMemoryArgs("where?"), session="k3f"), time.monotonic() + LONG_S
        )
        during = [timed(lambda q: recall(bench.box, q), question) for question in bench.questions]
        assert hanging.pending, "the ask ended before the last recall"
    reference = "the same words in a plain FTS5 query, best 5"
    for percent in (50, 99):
        yield from (
            row
            for row in (
                compared("recall_5000", percent, alone, plain, reference),
                compared("recall_during_ask", percent, during, alone, "recall alone"),
            )
            if row.row in wanted
        )


def compared(name: str, percent: int, samples: Sequence[float], reference: Sequence[float], said: str) -> Row:
    return Row(
        row=f"{name}_p{percent}",
        value=percentile(samples, percent) * 1000,
        unit="ms",
        reference=said,
        reference_value=percentile(reference, percent) * 1000,
        goal=MOST_RATIO,
        of="ratio",
    )


def in_turns(questions: Sequence[str], *ways: Callable[[str], object]) -> tuple[list[float], ...]:
    """Time each way on a few questions, then the next way on the same ones: both meet the same machine."""
    took: tuple[list[float], ...] = tuple([] for _ in ways)
    for start in range(0, len(questions), A_FEW):
        for samples, way in zip(took, ways, strict=True):
            samples += [timed(way, question) for question in questions[start : start + A_FEW]]
    return took


def timed(way: Callable[[str], object], question: str) -> float:
    began_s = time.perf_counter()
    way(question)
    return time.perf_counter() - began_s


def plainly(connection: sqlite3.Connection, question: str) -> list[tuple[str, str]]:
    query = "SELECT said, reply FROM words WHERE words MATCH ? ORDER BY rank LIMIT 5"
    return connection.execute(query, (recall_query.match_expression(question),)).fetchall()


@contextmanager
def filled() -> Iterator[Bench]:
    chance = random.Random(1)
    words = [f"word{min(int(chance.paretovariate(0.8)), WORDS)}" for _ in range(50_000)]
    runtime = Runtime()
    with tempfile.TemporaryDirectory() as folder:
        index = RecallIndex.open(Path(folder) / "recall.sqlite")
        said: list[tuple[str, str]] = []
        for number in range(SESSIONS):
            taken = list(turns(f"s{number}", chance, words))
            said += [(turn.user, turn.reply) for turn in taken]
            index.add_turns(f"s{number}", taken, size=1, upto=TURNS)
        index.settle()
        index.close()
        asks, outbox = runtime.mailbox("asks"), runtime.mailbox("outbox")
        box = runtime.start("memory", MemoryBench(folder=Path(folder), asks=asks, outbox=outbox).make)
        plain = sqlite3.connect(":memory:")
        plain.execute("CREATE VIRTUAL TABLE words USING fts5(said, reply, tokenize='porter unicode61')")
        plain.executemany("INSERT INTO words VALUES (?, ?)", said)
        questions = [" ".join(chance.choices(words, k=5)) + "?" for _ in range(QUERIES)]
        yield Bench(box, plain, questions)
        plain.close()
        runtime.stop("memory")


def turns(session: str, chance: random.Random, words: Sequence[str]) -> Iterator[FinishedTurn]:
    for number in range(1, TURNS + 1):
        yield FinishedTurn(
            session=session,
            turn=number,
            at="2026-11-02T10:00:00Z",
            user=" ".join(chance.choices(words, k=15)),
            reply=" ".join(chance.choices(words, k=30)),
            label=NEW_SESSION,
        )
