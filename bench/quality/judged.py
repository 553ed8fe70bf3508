"""How often the right turn is among the first of what a way of looking finds."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path

from bench.quality.made import NOW, QualitySet, Question
from bxio.recall import RecallIndex

FIRST = 5
KINDS = ("paraphrase", "name", "date")

Look = Callable[[str], Sequence[str]]
"""From a question to what the user said in each of the first hits."""


def found(look: Look, questions: Iterable[Question]) -> dict[str, float]:
    """The share of questions whose right turn is among the first five, by kind and over ``all``."""
    right: dict[str, list[bool]] = {kind: [] for kind in (*KINDS, "all")}
    for question in questions:
        if question.right is not None:
            hit = question.right in look(question.text)[:FIRST]
            right[question.kind].append(hit)
            right["all"].append(hit)
    return {kind: sum(hits) / len(hits) for kind, hits in right.items() if hits}


def ours(quality: QualitySet, folder: Path, *, semantic: bool = True) -> Look:
    """Through the recall index, as the box looks."""
    index = RecallIndex.open(folder / f"recall-{semantic}.sqlite", semantic=semantic)
    for session, turns in groupby(quality.turns, key=lambda turn: turn.session):
        listed = list(turns)
        index.add_turns(session, listed, size=1, upto=len(listed))
    while index.settle():
        pass
    today = NOW.date()
    return lambda text: [hit.said for hit in index.search(text, k=FIRST, without="", today=today)]


def plain(quality: QualitySet) -> Look:
    """Plain full text: SQLite's FTS5 with its stemmer, every word of the question, any of them enough."""
    words = sqlite3.connect(":memory:")
    words.execute("CREATE VIRTUAL TABLE words USING fts5 (said, reply, tokenize = 'porter unicode61')")
    words.executemany("INSERT INTO words VALUES (?, ?)", ((turn.user, turn.reply) for turn in quality.turns))

    def look(text: str) -> list[str]:
        asked = "".join(letter if letter.isalnum() else " " for letter in text).split()
        any_of = " OR ".join(f'"{word}"' for word in asked)
        query = f"SELECT said FROM words WHERE words MATCH ? ORDER BY rank LIMIT {FIRST}"
        return [said for (said,) in words.execute(query, (any_of,))]

    return look
