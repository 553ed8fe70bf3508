"""What the outbox knows of each turn beside the ledger: delivered, parked, dropped (spec 4.7)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from bxcore.turn_sets import TurnSet


class Fate(StrEnum):
    """What became of a turn; ``RETRIED`` takes a parking back, ``DROPPED`` is for ever.

    ``SENDING`` is written before a turn is sent out of its order: nothing else tells that it may be there.
    """

    DELIVERED = "delivered"
    PARKED = "parked"
    RETRIED = "retried"
    DROPPED = "dropped"
    SENDING = "sending"


class Key(NamedTuple):
    """A turn of a log, and how often its session had been taken out of Honcho."""

    session: str
    log: str
    turn: int
    generation: int = 0

    @property
    def id(self) -> str:
        """What an operator calls it."""
        return f"{self.session}.{self.turn}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One line about a turn. ``why`` is a kind and a status, never a text; ``at`` is the turn's own time."""

    key: Key
    fate: Fate
    why: str = ""
    workspace: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Erased:
    """An order to erase was carried out in every workspace."""

    order: str


@dataclass(slots=True)
class Marks:
    """The fold of all marks, the oldest first."""

    sent: TurnSet[tuple[str, str, int]] = field(default_factory=TurnSet)
    """Delivered turns, by session, log and generation."""
    parked: dict[Key, Mark] = field(default_factory=dict)
    dropped: set[tuple[str, str, int]] = field(default_factory=set)
    erased: set[str] = field(default_factory=set)
    sending: set[Key] = field(default_factory=set)

    @classmethod
    def of(cls, marks: Iterable[Mark | Erased]) -> Marks:
        """Fold them all."""
        known = cls()
        for mark in marks:
            known.take(mark)
        return known

    def take(self, mark: Mark | Erased) -> None:
        """Fold one more."""
        if isinstance(mark, Erased):
            self.erased.add(mark.order)
            return
        self.parked.pop(mark.key, None)
        self.sending.discard(mark.key)
        if mark.fate is Fate.DELIVERED:
            self.sent.add(_log(mark.key), mark.key.turn)
        elif mark.fate is Fate.PARKED:
            self.parked[mark.key] = mark
        elif mark.fate is Fate.DROPPED:
            self.dropped.add(mark.key[:3])
        elif mark.fate is Fate.SENDING:
            self.sending.add(mark.key)

    def waits(self, key: Key) -> bool:
        """Whether the turn is still to be sent by itself."""
        if key in self.parked or key[:3] in self.dropped:
            return False
        return not self.sent.has(_log(key), key.turn)

    @property
    def delivered(self) -> Iterator[Key]:
        """Every delivered turn."""
        return (Key(session, log, turn, generation) for (session, log, generation), turn in self.sent)

    def summary(self) -> dict[str, Any]:
        """All of it as JSON, in little room."""
        rest: list[Mark | Erased] = [*self.parked.values(), *map(Erased, self.erased)]
        rest += [Mark(key=Key(*turn), fate=Fate.DROPPED) for turn in self.dropped]
        rest += [Mark(key=key, fate=Fate.SENDING) for key in self.sending]
        return {"sent": [[*log, ranges] for log, ranges in self.sent.ranges()], "marks": [*map(dump, rest)]}

    @classmethod
    def of_summary(cls, found: Mapping[str, Any]) -> Marks:
        """What ``summary`` gave. Raises ``ValueError``, ``TypeError`` or ``LookupError``."""
        known = cls.of(map(parse, found["marks"]))
        known.sent = TurnSet.of(
            ((str(session), str(log), int(generation)), ranges)
            for session, log, generation, ranges in found["sent"]
        )
        return known


def _log(key: Key) -> tuple[str, str, int]:
    return key.session, key.log, key.generation


def dump(mark: Mark | Erased) -> str:
    """A mark as one line of ASCII JSON, without the line end; keys with nothing to say are left out."""
    if isinstance(mark, Erased):
        found: dict[str, Any] = {"erased": mark.order}
    else:
        key = mark.key
        found = {"session": key.session, "turn": key.turn, "is": mark.fate.value}
        more = {
            "log": key.log,
            "generation": key.generation,
            "why": mark.why,
            "workspace": mark.workspace,
            "at": mark.at,
        }
        found |= {name: value for name, value in more.items() if value}
    return json.dumps(found, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def parse(text: str) -> Mark | Erased:
    """Read what ``dump`` wrote, and the marks of before, which knew delivered and given up only.

    Raises ``ValueError``.
    """
    try:
        found = json.loads(text)
        return Erased(str(found["erased"])) if "erased" in found else _mark(found)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no mark: {error}") from None


def _mark(found: Mapping[str, Any]) -> Mark:
    gave_up = found.get("gave_up")
    key = Key(
        session=found["session"],
        log=found.get("log", ""),
        turn=found["turn"],
        generation=found.get("generation", 0),
    )
    before = Fate.DELIVERED if gave_up is None else Fate.DROPPED
    return Mark(
        key=key,
        fate=Fate(found["is"]) if "is" in found else before,
        why=gave_up or found.get("why", ""),
        workspace=found.get("workspace", ""),
        at=found.get("at", ""),
    )
