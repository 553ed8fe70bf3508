"""What the outbox is made of; a room of ``actors/outbox.py``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bxcore.backoff import Backoff
from bxcore.decide import Workspace
from bxcore.outbox_facts import OutboxFacts
from bxio.honcho import HonchoClient
from bxio.session_store import SessionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Where it sends and what it reads. ``workspaces`` are the server-side names of this agent's own two.

    A request has ``request_s``, up to four times that after time-outs. ``settle_s`` is how long a session
    rests after an append whose answer did not come: the server may still be at it, and a look-up would come
    too early. ``forgotten`` is the journal of what was forgotten, None for none. Without ``save`` nothing is
    sent. ``publish`` hears of each change, in the outbox's thread.
    """

    client: HonchoClient
    workspaces: Mapping[Workspace, str]
    agent: str
    ledger: Path
    marks: Path
    sessions: SessionStore
    request_s: float = 10.0
    settle_s: float = 5.0
    backoff: Backoff = field(default_factory=lambda: Backoff(first_s=0.5, most_s=60.0))
    forgotten: Path | None = None
    save: bool = True
    publish: Callable[[OutboxFacts], None] | None = None
