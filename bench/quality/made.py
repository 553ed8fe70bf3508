"""The quality set: a year of talk made from hand-written pieces by a seed, and the questions on it.

Even facts, series and empty questions are for tuning; the odd ones are held out: nothing is tuned on them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

from bench.quality import reading
from bench.quality.whens import phrases
from bxcore.finished_turns import FinishedTurn
from bxcore.labels import NEW_SESSION

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
DAYS = 350
CHATTER = 2_600
TURNS_A_SESSION = 10
BACK = (1, 2, 4, 8, 10, 17, 24, 38, 51, 66, 81, 97, 129, 160, 191, 222, 254, 285, 315)
"""How many days ago the entries of a series may lie."""
SLOT = re.compile(r"\b[A-Z]{3,}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """``kind`` is paraphrase, name, date or nothing; ``right`` is what the right turn's user said."""

    text: str
    kind: str
    right: str | None
    held_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QualitySet:
    """The turns in order of time, and what is asked at ``NOW``."""

    turns: Sequence[FinishedTurn]
    questions: Sequence[Question]


@dataclass(frozen=True, slots=True)
class Said:
    day: date
    user: str
    reply: str


def made(seed: int = 4) -> QualitySet:
    """The same set for the same seed."""
    chance = random.Random(seed)
    talk: list[Said] = []
    questions: list[Question] = []
    for number, fact in enumerate(reading.facts()):
        talk.append(Said(someday(chance), fact.said, fact.reply))
        questions += [
            Question(text=text, kind=kind, right=fact.said, held_out=number % 2 == 1)
            for kind, text in fact.questions
        ]
    for number, series in enumerate(reading.series()):
        entries = on_days(series, chance)
        talk += entries
        questions += dated(series.questions, entries, chance, held_out=number % 2 == 1)
    questions += [
        Question(text=text, kind="nothing", right=None, held_out=number % 2 == 1)
        for number, text in enumerate(reading.nothing())
    ]
    talk += chatter(chance)
    return QualitySet(turns=list(in_sessions(sorted(talk, key=lambda one: one.day))), questions=questions)


def someday(chance: random.Random) -> date:
    return NOW.date() - timedelta(chance.randint(1, DAYS))


def on_days(series: reading.Series, chance: random.Random) -> list[Said]:
    days = [NOW.date() - timedelta(back) for back in chance.sample(BACK, len(series.entries))]
    return [Said(day, *entry) for day, entry in zip(days, series.entries, strict=True)]


def dated(
    questions: Sequence[str], entries: Sequence[Said], chance: random.Random, *, held_out: bool
) -> Iterator[Question]:
    """Ask each question of each entry, with a phrase that means no other entry."""
    for entry in entries:
        others = {other.day for other in entries if other is not entry}
        fitting = [text for text, days in phrases(entry.day, NOW.date()) if not days & others]
        for question in questions:
            text = question.replace("WHEN", chance.choice(fitting))
            yield Question(text=text, kind="date", right=entry.user, held_out=held_out)


def chatter(chance: random.Random) -> Iterator[Said]:
    pieces = reading.chatter()
    for _ in range(CHATTER):
        user, reply = (filled(chance.choice(pieces[what]), pieces, chance) for what in ("said", "reply"))
        yield Said(someday(chance), user, reply)


def filled(template: str, pieces: Mapping[str, Sequence[str]], chance: random.Random) -> str:
    text = SLOT.sub(lambda slot: chance.choice(pieces[slot[0]]), template)
    return text[0].upper() + text[1:]


def in_sessions(talk: Sequence[Said]) -> Iterator[FinishedTurn]:
    starts = range(0, len(talk) + TURNS_A_SESSION, TURNS_A_SESSION)
    for number, (start, end) in enumerate(pairwise(starts), 1):
        for turn, one in enumerate(talk[start:end], 1):
            yield FinishedTurn(
                session=f"s{number}",
                turn=turn,
                at=f"{one.day.isoformat()}T10:{turn:02}:00Z",
                user=one.user,
                reply=one.reply,
                label=NEW_SESSION,
            )
