"""Orders to forget: a session or turns of it, in Honcho too, and what is of no turn (spec 4.2, 4.7).

An order never holds a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

Place: TypeAlias = tuple[int, str, int]
"""Where a revision has a text: its number from 1, ``removed``, ``added`` or ``lifted``, and which, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseOrder:
    """``turns`` None is the whole log; ``at`` is ISO 8601. Every order has an id of its own."""

    id: str
    at: str
    session: str
    log: str
    turns: tuple[int, ...] | None

    def covers(self, session: str, log: str, turn: int) -> bool:
        """Whether this turn is forgotten by it."""
        named = self.turns is None or turn in self.turns
        return named and (self.session, self.log) == (session, log)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrubOrder:
    """What is of no turn: texts of memory's files, by their places in the revisions, and whole files.

    ``files`` are paths below the folder of the sessions. Honcho has no part in it.
    """

    id: str
    at: str
    places: tuple[Place, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """The box's own part of an order is done: log, files and index."""

    order: str


Order: TypeAlias = EraseOrder | ScrubOrder


class Orders:
    """All orders so far: what they cover, and how often a session was erased."""

    def __init__(self, orders: Iterable[EraseOrder] = ()) -> None:
        self.by_session: dict[str, list[EraseOrder]] = {}
        for order in orders:
            self.by_session.setdefault(order.session, []).append(order)

    def __len__(self) -> int:
        return sum(map(len, self.by_session.values()))

    def generation(self, session: str) -> int:
        """How often the session was taken out of Honcho, so that what is left gets a new name there."""
        return len(self.by_session.get(session, ()))

    def forgotten(self, session: str, log: str, turn: int) -> bool:
        """Whether a turn must never be sent."""
        return any(order.covers(session, log, turn) for order in self.by_session.get(session, ()))


def dump(line: Order | CarriedOut) -> str:
    """A line of the record as ASCII JSON, without the line end."""
    found = {"done": line.order} if isinstance(line, CarriedOut) else asdict(line)
    return json.dumps(found, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def parse(text: str) -> Order | CarriedOut:
    """Read what ``dump`` wrote; raises ``ValueError``."""
    try:
        found = json.loads(text)
        if "done" in found:
            return CarriedOut(str(found["done"]))
        return _scrub(found) if "places" in found else _erase(found)
    except (KeyError, TypeError) as error:
        raise ValueError(f"no order to erase: {error}") from None


def _erase(found: Mapping[str, Any]) -> EraseOrder:
    turns = found["turns"]
    return EraseOrder(
        id=str(found["id"]),
        at=str(found["at"]),
        session=str(found["session"]),
        log=str(found["log"]),
        turns=None if turns is None else tuple(int(turn) for turn in turns),
    )


def _scrub(found: Mapping[str, Any]) -> ScrubOrder:
    return ScrubOrder(
        id=str(found["id"]),
        at=str(found["at"]),
        places=tuple((int(number), str(part), int(which)) for number, part, which in found["places"]),
        files=tuple(map(str, found["files"])),
    )
