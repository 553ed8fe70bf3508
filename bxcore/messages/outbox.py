"""Messages of the outbox, which sends decided turns to Honcho (spec 4.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.turn_decisions import Decided


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliver:
    """News from the memory: these turns are in the ledger, on disk. Told."""

    rows: tuple[Decided, ...]
    kind: Literal["deliver"] = "deliver"


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAgain:
    """News from the memory: a ``Deliver`` found no room, so read the ledger again. Told."""

    kind: Literal["look_again"] = "look_again"


@dataclass(frozen=True, slots=True, kw_only=True)
class SendNext:
    """The outbox tells itself: send the next turn that waits."""

    kind: Literal["send_next"] = "send_next"


OutboxMessage: TypeAlias = Deliver | LookAgain | SendNext
