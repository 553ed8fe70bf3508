"""A decided turn as the messages that Honcho takes: two peers' words, cut to its limit and marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bxcore.finished_turns import FinishedTurn
from bxcore.honcho_sessions import peer_id
from bxcore.honcho_text import MAX_BATCH, MAX_CONTENT, sendable

MAX_BATCH_CHARACTERS = 6 * MAX_CONTENT
"""Of one append: the server echoes it, and our client reads a megabyte of an answer, escapes and all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One message. ``number`` counts a turn's parts from 0, the user's first; ``at`` is ISO 8601 or empty."""

    session: str
    turn: int
    number: int
    peer: str
    content: str
    at: str
    log: str = ""

    @property
    def metadata(self) -> dict[str, str | int]:
        """What it is found by again on the server."""
        return {**turn_metadata(self.session, self.log, self.turn), "part": self.number}


def turn_metadata(session: str, log: str, turn: int) -> dict[str, str | int]:
    """What all parts of a turn have in common on the server."""
    named = {"log": log} if log else {}
    return {"session": session, **named, "turn": turn}


def parts(turn: FinishedTurn, *, speaker: str, agent: str, log: str = "") -> tuple[Part, ...]:
    """The user's words as ``speaker`` and the reply as ``agent``, at most 25,000 characters each part."""
    words = [(peer_id(speaker), piece) for piece in _pieces(turn.user)]
    words += [(peer_id(agent), piece) for piece in _pieces(turn.reply)]
    return tuple(
        Part(
            session=turn.session,
            turn=turn.turn,
            number=number,
            peer=peer,
            content=content,
            at=turn.at,
            log=log,
        )
        for number, (peer, content) in enumerate(words)
    )


def batches(wanted: Iterable[Part]) -> Iterator[tuple[Part, ...]]:
    """The parts in order, as many to an append as it takes: 100 messages and 150,000 characters."""
    batch: list[Part] = []
    characters = 0
    for part in wanted:
        if batch and (len(batch) == MAX_BATCH or characters + len(part.content) > MAX_BATCH_CHARACTERS):
            yield tuple(batch)
            batch, characters = [], 0
        batch.append(part)
        characters += len(part.content)
    if batch:
        yield tuple(batch)


def _pieces(text: str) -> Iterator[str]:
    clean = sendable(text)
    for start in range(0, max(len(clean), 1), MAX_CONTENT):
        yield clean[start : start + MAX_CONTENT]
