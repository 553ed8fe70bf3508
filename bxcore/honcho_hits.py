"""What Honcho's search found, as items beside those of this box's own index (spec 4.3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from bxcore.messages.honcho_search import FoundMessage
from bxcore.recalled import Item
from bxcore.sanitize import redact
from bxcore.workspaces import Readable

Turn = tuple[str, int]
"""A session and the number of a turn."""


def items(
    found: Sequence[tuple[Readable, Iterable[FoundMessage]]], *, shown: Collection[Turn], without: str
) -> list[Item]:
    """The messages as items, those of each workspace in turn, the best first.

    Left out are those of the session ``without``, of turns that are ``shown`` already, and what two
    workspaces say alike: a message's metadata says which turn of this box it is of.
    """
    texts: set[str] = set()
    wanted: list[Item] = []
    for readable, message in _in_turn(found):
        turn = _turn_of(message)
        if turn is not None and (turn in shown or (without and turn[0] == without)):
            continue
        text = redact(message.content)
        if text.strip() and text not in texts:
            texts.add(text)
            wanted.append(
                Item(
                    source=_source(readable, message),
                    level=readable.level,
                    untrusted=readable.untrusted,
                    text=text,
                )
            )
    return wanted


def _in_turn(
    found: Sequence[tuple[Readable, Iterable[FoundMessage]]],
) -> Iterator[tuple[Readable, FoundMessage]]:
    """The best of each workspace, then the second best of each."""
    left = [(readable, iter(messages)) for readable, messages in found]
    while left:
        for each in list(left):
            message = next(each[1], None)
            if message is None:
                left.remove(each)
            else:
                yield each[0], message


def _turn_of(message: FoundMessage) -> Turn | None:
    session, turn = message.metadata.get("session"), message.metadata.get("turn")
    return (session, turn) if isinstance(session, str) and isinstance(turn, int) else None


def _source(readable: Readable, message: FoundMessage) -> str:
    day = message.at[: len("2026-11-02")]
    return ", ".join(part for part in (readable.name, message.peer, day) if part)


def beside(own: Sequence[Item], others: Sequence[Item], k: int) -> list[Item]:
    """At most ``k`` items: the own ones first; of Honcho's a third at the most, or what is left of ``k``.

    Its search knows no floor, so the last that it finds may have nothing to do with the question.
    """
    room = max(k - len(own), k // 3)
    kept = list(others[:room])
    return [*own[: k - len(kept)], *kept]
