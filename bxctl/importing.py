"""A file of another agent's memory, read here and handed over in pieces (spec 4.2)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias

from bxcore import imports
from bxcore.control import Exit
from bxcore.control.memory import ImportJson
from bxcore.control.memory_requests import ExchangeRequest, ImportEntriesRequest, ImportTurnsRequest
from bxcore.errors import system_reason
from bxcore.imports import Conversation, Imported
from bxctl.errors import CommandError
from bxctl.wire import Wire

MOST_BYTES = 900_000
"""Of the exchanges of one piece, or of all entries; a request's body may have a mebibyte."""

Pieces: TypeAlias = Sequence[ImportTurnsRequest] | Sequence[ImportEntriesRequest]
"""The requests that one thing takes, in their order: a conversation, or all entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What of a file can be handed over, and a sentence for each thing that cannot."""

    things: Sequence[Pieces]
    problems: Sequence[str]


def read(path: Path) -> Imported:
    """Read the file; raises ``CommandError`` when it cannot be read at all."""
    try:
        with path.open("rb") as file:
            data = file.read(imports.MAX_BYTES + 1)
    except OSError as error:
        raise CommandError(Exit.FAILED, f"{path} cannot be read: {system_reason(error)}") from None
    return imports.read(path.name, data)


def found(read: Imported, speaker: str | None) -> Found:
    """The requests that take it in, none too long for the wire."""
    things: list[Pieces] = []
    problems = list(read.problems)
    size = _size(read.entries)
    if size > MOST_BYTES:
        problems.append(
            f"its entries take {size:,} bytes and an import {MOST_BYTES:,}; notes.md holds far less"
        )
    elif read.entries:
        things.append([ImportEntriesRequest(entries=read.entries)])
    things += (list(_pieces(each, speaker, problems)) for each in read.conversations)
    return Found(things=[each for each in things if each], problems=problems)


def _pieces(
    conversation: Conversation, speaker: str | None, problems: list[str]
) -> Iterator[ImportTurnsRequest]:
    """A conversation in pieces; an exchange that no request can hold is left out, the same one each time."""
    part: list[ExchangeRequest] = []
    size, first = 0, 1
    for number, each in enumerate(conversation.exchanges, 1):
        exchange = ExchangeRequest(user=each.user, reply=each.reply, at=each.at)
        more = _size(asdict(exchange))
        if more > MOST_BYTES:
            problems.append(f"exchange {number} of {conversation.name} takes {more:,} bytes and is left out")
            continue
        if part and size + more > MOST_BYTES:
            yield ImportTurnsRequest(
                conversation=conversation.name, turns=tuple(part), first=first, speaker=speaker
            )
            first, size, part = first + len(part), 0, []
        part.append(exchange)
        size += more
    if part:
        yield ImportTurnsRequest(
            conversation=conversation.name, turns=tuple(part), first=first, speaker=speaker
        )


def _size(value: object) -> int:
    """Bytes on the wire, with what stands between it and its neighbour."""
    return len(json.dumps(value)) + 2


def hand_over(wire: Wire, pieces: Pieces, *, dry_run: bool) -> ImportJson:
    """Send one thing's pieces in their order and sum up the answers; one that is refused is the last."""
    total: ImportJson = {"done": not dry_run, "new": 0, "already": 0, "session": "", "refused": []}
    for piece in pieces:
        if dry_run and total["new"] and isinstance(piece, ImportTurnsRequest):
            total["new"] += len(piece.turns)  # it goes on behind what is new: all of it is
            continue
        answer: ImportJson = wire.call(replace(piece, dry_run=dry_run))
        total["new"] += answer["new"]
        total["already"] += answer["already"]
        total["session"] = answer["session"]
        total["refused"] += answer["refused"]
        if answer["refused"]:
            break
    return total
