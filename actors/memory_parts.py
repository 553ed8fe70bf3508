"""What the memory is made of, and what a room of it may ask of its actor (spec, chapter 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from actors.base import Mailbox
from bxcore.config import Settings
from bxcore.labels import NEW_SESSION
from bxcore.paths import Paths
from bxcore.supervision import ChildSpec
from bxcore.tool_answer import ToolAnswer
from bxcore.workspaces import Readable
from bxio.session_store import SessionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where it keeps what: the folder of the three files, the index, the ledger, the sessions' logs.

    ``forgotten`` is the record of what was forgotten, ``work`` the sessions' work folders. ``kept`` are files
    that nothing is taken out of, each with a sentence about that, ``looked_through`` more folders whose files
    are named when they hold what is forgotten, and ``concludes`` says that Honcho may have conclusions of its
    own. With ``semantic``, recall looks by meaning too where it can.
    """

    files: Path
    index: Path
    ledger: Path
    sessions: SessionStore
    forgotten: Path | None = None
    work: Path | None = None
    kept: Mapping[Path, str] = field(default_factory=dict)
    looked_through: tuple[Path, ...] = ()
    concludes: bool = False
    semantic: bool = False
    most_bytes: int = 2_000_000_000
    """What the index may take on disk, which is enough for five million turns; then the oldest go."""

    @classmethod
    def of(cls, settings: Settings, paths: Paths, sessions: SessionStore) -> Self:
        """Those of a configured box."""
        state = paths.state
        audit, approvals = state / "audit.jsonl", state / "approvals.jsonl"
        return cls(
            files=settings.memory.folder or state / "memory",
            index=state / "recall.sqlite",
            ledger=state / "ledger.jsonl",
            sessions=sessions,
            work=state / "work",
            kept={
                audit: "audit.jsonl keeps each call as it was decided; its chain is never rewritten",
                approvals: "approvals.jsonl keeps what you were asked until the box starts anew",
            },
            looked_through=(paths.log,),
            concludes=settings.honcho.url != "embedded",
            semantic=settings.memory.semantic is not False,
        )

    @property
    def lived(self) -> bool:
        """Whether a box was here before: its ledger is there, or the record of what it forgot, or a session.

        A start makes the first two behind the revisions of memory's files, so a first one finds none of them.
        """
        return self.ledger.exists() or self.record.exists() or bool(self.sessions.list(limit=1))

    @property
    def record(self) -> Path:
        """The record of what was forgotten; it is beside the ledger when nobody says otherwise."""
        return self.forgotten or self.ledger.with_name("forgotten.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How Honcho is asked: the workspaces that may be, the supervisor of the chats, and a chat's child spec.

    ``chat(child name, server-side workspace)`` gives the spec of one temporary ``HonchoChat``, ``search`` of
    a ``HonchoSearch``, and ``consolidation(child name)`` of a ``Consolidation``; None where there is none.
    """

    readable: tuple[Readable, ...]
    asks: Mailbox
    chat: Callable[[str, str], ChildSpec]
    search: Callable[[str, str], ChildSpec] | None = None
    consolidation: Callable[[str], ChildSpec] | None = None
    search_s: float = 2.0
    """How long a recall waits for Honcho (spec 4.3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """Where finished turns go: the outbox, this agent's own peer name, and ``[honcho] save``."""

    outbox: Mailbox
    agent: str
    save: bool = True


def failed(sentence: str) -> ToolAnswer:
    """The answer of a call that was not done, in the box's own words."""
    return ToolAnswer(ok=False, content=sentence, label=NEW_SESSION)
