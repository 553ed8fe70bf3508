"""What an import found in a file, and what it left out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a person said and what came back; ``at`` is ISO 8601 in UTC, or empty."""

    user: str
    reply: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """``name`` is the same each time its file is read, so that an import can go on where it ended."""

    name: str
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """``problems`` are sentences: what of the file could not be read, and where it stands."""

    conversations: tuple[Conversation, ...] = ()
    entries: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
