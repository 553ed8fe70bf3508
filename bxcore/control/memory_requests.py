"""What may be asked of memory and the outbox over the control socket, one value a request (spec 4.2, 6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

MemoryFile: TypeAlias = Literal["memory", "user", "notes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRequest:
    """The memory files with their entries, or one of them."""

    file: MemoryFile | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLogRequest:
    """The newest edits, at most ``limit``, the newest first."""

    file: MemoryFile | None = None
    limit: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEditRequest:
    """An operator's edit: ``add`` takes a file and a text, ``replace`` an id and a text, ``remove`` an id."""

    action: Literal["add", "replace", "remove"]
    file: MemoryFile | None = None
    id: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryUndoRequest:
    """Take an edit back, the newest without a ``number``."""

    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTrustRequest:
    """Lift the label of an entry, byte for byte."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySearchRequest:
    """What recall would find."""

    query: str
    k: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryForgetRequest:
    """Forget a session, or what holds a text; with ``dry_run`` say what that would be."""

    session: str = ""
    text: str = ""
    dry_run: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryConsolidateRequest:
    """Have the model propose a shorter set of entries for a file."""

    file: MemoryFile


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryAcceptRequest:
    """Take a proposal, whole or some of its entries."""

    id: str
    numbers: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeRequest:
    """One exchange of an import."""

    user: str
    reply: str
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportTurnsRequest:
    """A piece of a conversation, whose first exchange has the number ``first``."""

    conversation: str
    turns: tuple[ExchangeRequest, ...]
    first: int = 1
    speaker: str | None = None
    dry_run: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportEntriesRequest:
    """Entries that become untrusted notes."""

    entries: tuple[str, ...]
    dry_run: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRequest:
    """What waits for Honcho, at most ``limit`` rows."""

    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRetryRequest:
    """Try a parked turn again, or all."""

    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxDropRequest:
    """Never send a turn."""

    id: str


OfMemory: TypeAlias = (
    MemoryRequest
    | MemoryLogRequest
    | MemoryEditRequest
    | MemoryUndoRequest
    | MemoryTrustRequest
    | MemorySearchRequest
    | MemoryForgetRequest
    | MemoryConsolidateRequest
    | MemoryAcceptRequest
    | ImportTurnsRequest
    | ImportEntriesRequest
)
OfOutbox: TypeAlias = OutboxRequest | OutboxRetryRequest | OutboxDropRequest
