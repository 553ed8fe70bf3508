"""Messages of a ``HonchoSearch``, the short-lived actor that searches one workspace (spec 4.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.messages.errand import NobodyCame


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Find at most ``limit`` messages near ``query``. Asked: a ``Found`` or a ``SearchUnavailable``."""

    query: str
    limit: int = 10
    kind: Literal["search"] = "search"


HonchoSearchMessage: TypeAlias = Search | NobodyCame


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMessage:
    """One message of a workspace: whose it is, its text, when it was said (ISO 8601), its metadata."""

    peer: str
    content: str
    at: str
    metadata: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the workspace found, best first; it knows no floor, so the last may have little to do with it."""

    messages: tuple[FoundMessage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchUnavailable:
    """The workspace did not answer. ``error`` is its kind and status, never the query or a message."""

    error: str


SearchOutcome: TypeAlias = Found | SearchUnavailable
