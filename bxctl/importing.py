"""A file of another agent's memory, read here and handed over in pieces (spec 4.2)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bxcore import imports
from bxcore.control import Exit
from bxcore.control.memory import ImportJson
from bxcore.control.memory_requests import ExchangeRequest, ImportEntriesRequest, ImportTurnsRequest
from bxcore.errors import system_reason
from bxcore.imports import Conversation, Imported
from bxctl.errors import CommandError
from bxctl.wire import Wire

MOST_BYTES = 700_000
"""Of one piece; a request's body may have a mebibyte."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One request of an import, and what it brings in words."""

    request: ImportTurnsRequest | ImportEntriesRequest
    what: str


def read(path: Path) -> Imported:
    """Read the file; raises ``CommandError`` when it cannot be read at all."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CommandError(Exit.FAILED, f"{path} cannot be read: {system_reason(error)}") from None
    return imports.read(path.name, data)


def pieces(found: Imported, speaker: str | None) -> Iterator[Piece]:
    """The requests that take it in, none too long for the wire; a conversation's own come in order."""
    if found.entries:
        yield Piece(ImportEntriesRequest(entries=found.entries), "notes")
    for conversation in found.conversations:
        yield from _pieces(conversation, speaker)


def _pieces(conversation: Conversation, speaker: str | None) -> Iterator[Piece]:
    part: list[ExchangeRequest] = []
    size, first = 0, 1
    for number, each in enumerate(conversation.exchanges, 1):
        exchange = ExchangeRequest(user=each.user, reply=each.reply, at=each.at)
        more = len(json.dumps([each.user, each.reply, each.at]))
        if part and size + more > MOST_BYTES:
            yield _piece(conversation, part, first, speaker)
            part, size, first = [], 0, number
        part.append(exchange)
        size += more
    if part:
        yield _piece(conversation, part, first, speaker)


def _piece(conversation: Conversation, part: list[ExchangeRequest], first: int, speaker: str | None) -> Piece:
    request = ImportTurnsRequest(
        conversation=conversation.name, turns=tuple(part), first=first, speaker=speaker
    )
    return Piece(request, "turns")


def hand_over(wire: Wire, piece: Piece, *, dry_run: bool) -> ImportJson:
    """Send one piece."""
    answer: ImportJson = wire.call(replace(piece.request, dry_run=dry_run))
    return answer
