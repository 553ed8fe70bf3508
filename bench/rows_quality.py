"""How well recall finds what was said, on the held-out half of ``bench/quality``; and what meaning costs.

A goal is an upper bound, so quality is counted by what is missed: of 100 questions, those whose right turn is
not among the first five.
"""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from bench.quality import judged
from bench.quality.made import chatter, made
from bench.row import Row, percentile
from bxcore.labels import NEW_SESSION
from bxio.recall.meaning import Among, Meaning
from bxio.recall.meaning_table import DIMENSIONS, Table, package_folder
from bxio.recall.store import Store

GOALS = {"all": 0.7, "paraphrase": 0.9, "name": 0.8, "date": 0.1}
"""How much of what plain full text misses may be missed still."""
ROWS = (
    *(f"quality_missed_{kind}" for kind in GOALS),
    "quality_shown_for_nothing",
    "meaning_nearest_1m_p50",
    "meaning_embed",
)
TURNS = 500_000
AT_ONCE = 5_000
NEAREST_MS = 5.0
EMBED_US = 50.0
"""20,000 texts a second."""
QUESTIONS = 200


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the wanted rows."""
    with tempfile.TemporaryDirectory() as folder:
        if any(name.startswith("quality") for name in wanted):
            yield from (row for row in quality(Path(folder)) if row.row in wanted)
        if "meaning_embed" in wanted:
            yield embed()
        if "meaning_nearest_1m_p50" in wanted:
            yield nearest(Path(folder))


def quality(folder: Path) -> Iterator[Row]:
    asked = made()
    held_out = [question for question in asked.questions if question.held_out]
    ways = {"plain": judged.plain(asked), "words": judged.ours(asked, folder, semantic=False)}
    ways["ours"] = judged.ours(asked, folder)
    found = {name: judged.found(way, held_out) for name, way in ways.items()}
    for kind, goal in GOALS.items():
        plain, words, ours = (100 * found[name][kind] for name in ways)
        yield Row(
            row=f"quality_missed_{kind}",
            value=100 - ours,
            unit="of 100 questions",
            reference=f"plain full text; found {ours:.1f}, without meaning {words:.1f}, plain {plain:.1f}",
            reference_value=100 - plain,
            goal=goal,
            of="ratio",
        )
    empty = [question.text for question in held_out if question.right is None]
    yield Row(
        row="quality_shown_for_nothing",
        value=100 * shown(ways["ours"], empty),
        unit="of 100 questions",
        reference="plain full text, for questions on what was never said",
        reference_value=100 * shown(ways["plain"], empty),
        goal=1.1,
        of="ratio",
    )


def shown(look: judged.Look, questions: Sequence[str]) -> float:
    return sum(bool(look(text)) for text in questions) / len(questions)


def embed() -> Row:
    """A text as a vector, many at once."""
    table = the_table()
    texts = [one.user for one in chatter(random.Random(1))] * 10
    word = re.compile(r"[^\W_]+")
    table.vectors(texts[:AT_ONCE])
    return Row(
        row="meaning_embed",
        value=took_us(lambda: table.vectors(texts)) / len(texts),
        unit="us a text",
        reference="the same texts parted into words",
        reference_value=took_us(lambda: [word.findall(text) for text in texts]) / len(texts),
        goal=EMBED_US,
    )


def nearest(folder: Path) -> Row:
    """The nearest of a million messages, with the vectors in the index's file, against comparing them all."""
    store, meaning = filled(folder)
    table = the_table()
    every = np.random.default_rng(1).standard_normal((TURNS, DIMENSIONS), np.float32)
    questions = [question.text for question in made().questions][:QUESTIONS]
    meaning.nearest(questions[0], 1, Among())
    took = [took_us(lambda: meaning.nearest(text, 100, Among())) / 1000 for text in questions]  # noqa: B023
    plainly = [took_us(lambda: every @ table.vectors([text])[0]) / 1000 for text in questions[:20]]  # noqa: B023
    store.close()
    return Row(
        row="meaning_nearest_1m_p50",
        value=percentile(took, 50),
        unit="ms",
        reference="every vector as wide numbers in memory, multiplied",
        reference_value=percentile(plainly, 50),
        goal=NEAREST_MS,
    )


def filled(folder: Path) -> tuple[Store, Meaning]:
    chance = random.Random(2)
    pool = [one.user for one in chatter(chance)]
    store, _ = Store.open(folder / "nearest.sqlite")
    with store.writing():
        meaning = Meaning.open(store.connection)
    for session in range(TURNS // AT_ONCE):
        texts = [f"{chance.choice(pool)} {chance.choice(pool)}" for _ in range(AT_ONCE)]
        with store.writing():
            store.add(f"s{session}", ((turn, "", NEW_SESSION, text, "") for turn, text in enumerate(texts)))
            docs = store.docs_from(meaning.upto, AT_ONCE)
            meaning.add([(doc.place, doc.said, doc.reply) for doc in docs])
    return store, meaning


def the_table() -> Table:
    folder = package_folder()
    assert folder is not None, "install the extra semantic"
    return Table.read(folder)


def took_us(what: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    what()
    return (time.perf_counter() - began_s) * 1e6
