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
    """News from the memory: read ledger and orders again. Told.

    A ``Deliver`` found no room, or something was forgotten.
    """

    kind: Literal["look_again"] = "look_again"


@dataclass(frozen=True, slots=True, kw_only=True)
class SendNext:
    """The outbox tells itself: send the next turn that waits."""

    kind: Literal["send_next"] = "send_next"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOutbox:
    """What waits and what is parked. Asked; the reply is an ``OutboxView`` of at most ``limit`` rows."""

    limit: int = 50
    kind: Literal["show_outbox"] = "show_outbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryRows:
    """Try a parked turn again, every one without an ``id``, and what waits at once. Asked; a ``Told``."""

    id: str | None = None
    kind: Literal["retry_rows"] = "retry_rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRow:
    """Give a turn up for good, parked or waiting: it is never sent. Asked; the reply is a ``Told``."""

    id: str
    kind: Literal["drop_row"] = "drop_row"


OutboxMessage: TypeAlias = Deliver | LookAgain | SendNext | ShowOutbox | RetryRows | DropRow
