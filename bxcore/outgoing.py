"""A decided turn as the messages that Honcho takes: two peers' words, cut to its limit and marked."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from bxcore.finished_turns import FinishedTurn
from bxcore.honcho_text import MAX_CONTENT, sendable


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One message. ``number`` counts a turn's parts from 0, the user's first; ``at`` is ISO 8601 or empty."""

    session: str
    turn: int
    number: int
    peer: str
    content: str
    at: str

    @property
    def metadata(self) -> dict[str, str | int]:
        """What it is found by again on the server."""
        return {"session": self.session, "turn": self.turn, "part": self.number}


def parts(turn: FinishedTurn, *, speaker: str, agent: str) -> tuple[Part, ...]:
    """The user's words as ``speaker`` and the reply as ``agent``, at most 25,000 characters each part."""
    words = [(speaker, piece) for piece in _pieces(turn.user)]
    words += [(agent, piece) for piece in _pieces(turn.reply)]
    return tuple(
        Part(session=turn.session, turn=turn.turn, number=number, peer=peer, content=content, at=turn.at)
        for number, (peer, content) in enumerate(words)
    )


def not_there(wanted: Collection[Part], there: Collection[tuple[object, str]]) -> tuple[Part, ...]:
    """The parts that the server does not hold yet; ``there`` are the part number and text of what it holds.

    The text counts too: a box that began anew may have had another turn of that number once.
    """
    return tuple(part for part in wanted if (part.number, part.content) not in there)


def _pieces(text: str) -> Iterator[str]:
    clean = sendable(text)
    for start in range(0, max(len(clean), 1), MAX_CONTENT):
        yield clean[start : start + MAX_CONTENT]
