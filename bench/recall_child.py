"""Fills a recall index in a process of its own, asks it, and prints what it measured as JSON.

Run with a folder and a number of turns. A plain FTS5 table of the same texts answers the same words.
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path

from bench.row import percentile
from bxcore.finished_turns import FinishedTurn
from bxcore.labels import NEW_SESSION
from bxio.recall import RecallIndex

VOCABULARY = 40_000
SAID, REPLY = 15, 30
TURNS_A_SESSION = 50
COMMON, RARE = range(20), range(20_000, 39_000)
"""Ranks of words: the twenty most common ones, and those that stand in a few texts."""
SMALL = 10 * TURNS_A_SESSION
ASKED, ASKED_PLAINLY = 60, 15


def texts(count: int) -> Iterator[tuple[str, str]]:
    """As many turns as are wanted: words as common as in a language, the same ones each time."""
    chance = random.Random(4)
    words = [f"w{number}x" for number in range(VOCABULARY)]
    weights = list(accumulate(1 / (rank + 2) ** 1.05 for rank in range(VOCABULARY)))
    for _ in range(count):
        chosen = chance.choices(words, cum_weights=weights, k=SAID + REPLY)
        yield " ".join(chosen[:SAID]), " ".join(chosen[SAID:])


def turns(count: int) -> Iterator[tuple[str, list[FinishedTurn]]]:
    """The same in sessions."""
    session: list[FinishedTurn] = []
    for number, (said, reply) in enumerate(texts(count)):
        name = f"s{number // TURNS_A_SESSION}"
        session.append(
            FinishedTurn(
                session=name,
                turn=number % TURNS_A_SESSION + 1,
                at="2026-11-02T10:00:00Z",
                user=said,
                reply=reply,
                label=NEW_SESSION,
            )
        )
        if len(session) == TURNS_A_SESSION:
            yield name, session
            session = []


def fill(index: RecallIndex, count: int) -> float:
    """Seconds that it took, without those of making the texts."""
    took_s = 0.0
    for name, session in turns(count):
        began_s = time.perf_counter()
        index.add_turns(name, session, size=1, upto=len(session), log="l")
        index.settle(5_000)
        took_s += time.perf_counter() - began_s
    began_s = time.perf_counter()
    while index.settle():
        pass
    return took_s + time.perf_counter() - began_s


def plain(path: Path, count: int) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(said, reply, tokenize='porter unicode61')")
    connection.executemany("INSERT INTO words VALUES (?, ?)", texts(count))
    connection.commit()
    return connection


def p50_ms(ask: Callable[[str], object], ranks: range, most: int) -> float:
    chance = random.Random(5)
    samples = []
    for _ in range(most):
        word = f"w{chance.choice(ranks)}x"
        began_s = time.perf_counter()
        ask(word)
        samples.append((time.perf_counter() - began_s) * 1000)
    return percentile(samples, 50)


def resident_mb(kind: str) -> float:
    """``RssAnon`` is the process's own; ``RssFile`` are pages of files, the kernel's to take back."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (kilobytes,) = (int(line.split()[1]) for line in lines if line.startswith(f"{kind}:"))
    return kilobytes * 1024 / 1e6


def main(folder: Path, count: int) -> None:
    small = RecallIndex.open(folder / "small.sqlite")
    fill(small, SMALL)
    small.search("w1x", k=5, without="")  # what any index loads and allocates once is no growth
    small.close()
    own_mb, mapped_mb = resident_mb("RssAnon"), resident_mb("RssFile")
    index = RecallIndex.open(folder / "recall.sqlite")
    took_s = fill(index, count)
    measured = {
        "common": p50_ms(lambda word: index.search(word, k=5, without=""), COMMON, ASKED),
        "rare": p50_ms(lambda word: index.search(word, k=5, without=""), RARE, ASKED),
        "growth_mb": resident_mb("RssAnon") - own_mb,
        "mapped_mb": resident_mb("RssFile") - mapped_mb,
        "store_us": took_s / count * 1e6,
        "disk_mb": index.disk_bytes() / 1e6,
    }
    reference = plain(folder / "plain.sqlite", count)
    query = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 5"
    ask = lambda word: reference.execute(query, (word,)).fetchall()  # noqa: E731
    measured["plain_common"] = p50_ms(ask, COMMON, ASKED_PLAINLY)
    measured["plain_rare"] = p50_ms(ask, RARE, ASKED)
    print(json.dumps(measured))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
