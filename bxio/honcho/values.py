"""What is sent to a Honcho server and what it answers, as values; keys it adds later are let pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message to append: whose it is, its text, and metadata to find it by again."""

    peer: str
    content: str
    metadata: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    created_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """A message as the server keeps it; ``created_at`` is ISO 8601."""

    id: str
    content: str
    peer_id: str
    session_id: str
    workspace_id: str
    created_at: str
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStatus:
    """How much of what was appended the server has still to think about, in its work units."""

    total_work_units: int
    completed_work_units: int
    in_progress_work_units: int
    pending_work_units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Paged:
    """How many things a list has in all; its items are not looked at."""

    total: int
