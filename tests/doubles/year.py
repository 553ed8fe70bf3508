"""A year of talk on disk: real session logs of as many turns as are wanted, ten facts hidden among them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from bench.quality import reading
from bench.quality.made import DAYS, NOW, filled
from bxcore import recall_query
from bxcore.labels import Level
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User
from bxio.session_store import SessionStore

TURNS_A_SESSION = 36
FACTS = 10
TOKEN = "ghp_" + "a1B2" * 9
SPEAKERS = ("anna", "anna", "anna", "bert.b", None)


@dataclass(frozen=True)
class Fact:
    """What was said once in the year, and a question that it answers."""

    said: str
    question: str


def facts() -> list[Fact]:
    """Ten facts, the same ones each time, each with a question that names it and says another word of it."""
    found = []
    for fact in reading.facts():
        named = next((text for kind, text in fact.questions if kind == "name"), "")
        if len(_words(named) & _words(fact.said)) > 1:
            found.append(Fact(fact.said, named))
    return found[:: max(1, len(found) // FACTS)][:FACTS]


def _words(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Za-z]{4,}", text)} - recall_query.STOP_WORDS


def write(store: SessionStore, turns: int, seed: int = 7) -> int:
    """Write the logs; how many sessions there are."""
    chance = random.Random(seed)
    hidden = dict(zip(sorted(chance.sample(range(turns), FACTS)), facts(), strict=True))
    sessions = 0
    log: list[Record] = []
    for number in range(turns):
        at = NOW - timedelta(days=DAYS * (1 - number / turns))
        log += _turn(chance, at.isoformat(timespec="seconds"), hidden.get(number))
        if len(log) >= TURNS_A_SESSION * 3 or number == turns - 1:
            opened = store.open(f"y{sessions:04}")
            opened.append([SessionStart(baseline="", log=f"year-{sessions}"), *log])
            opened.close()
            sessions, log = sessions + 1, []
    return sessions


def _turn(chance: random.Random, at: str, fact: Fact | None) -> Iterator[Record]:
    """A plain turn most times; now and then a tool, a secret, a failure, an interruption, a long text."""
    pieces = reading.chatter()
    said, reply = (filled(chance.choice(pieces[what]), pieces, chance) for what in ("said", "reply"))
    kind = chance.random() if fact is None else 1.0
    if kind < 0.005:
        said += f", my token is {TOKEN}"
    elif kind < 0.01:
        said = f"{said} " * 400
    yield User(text=said if fact is None else fact.said, speaker=chance.choice(SPEAKERS), at=at)
    if 0.01 <= kind < 0.012:
        return  # interrupted
    if 0.012 <= kind < 0.016:
        yield Usage(failed="the model did not answer; try again")
        return
    if 0.016 <= kind < 0.02:
        call = ToolCall(id=f"c{chance.randrange(10**9)}", name="recall", arguments='{"query":"x"}')
        yield Assistant(content="", tool_calls=(call,))
        level = Level.SECRET if kind > 0.0195 else Level.PRIVATE
        yield ToolResult(call=call.id, tool="recall", content="hearsay", ok=True, level=level, untrusted=True)
    yield Assistant(content=reply)
    yield Usage()
