"""Files of another agent's memory, read here and handed over in pieces (spec 4.2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
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
    """Read a file, or the files of a folder; raises ``CommandError`` when there is nothing to read."""
    try:
        return _folder(path) if path.is_dir() else _file(path)
    except OSError as error:
        raise CommandError(Exit.FAILED, f"{path} cannot be read: {system_reason(error)}") from None


def _file(path: Path) -> Imported:
    with path.open("rb") as file:
        return imports.read(path.name, file.read(imports.MAX_BYTES + 1))


def _folder(path: Path) -> Imported:
    """The files in it that are notes or messages by their names, in order; what else is there is counted."""
    there = sorted(each for each in path.iterdir() if not each.name.startswith("."))
    chosen = [each for each in there if imports.takes(each.name) and each.is_file()]
    parts = [_or_problem(each) for each in chosen]
    if len(there) > len(chosen):
        passed = f"{path} has {len(there) - len(chosen)} more that are no files of notes or messages"
        parts.append(Imported(problems=(passed,)))
    return Imported(
        conversations=tuple(talk for part in parts for talk in part.conversations),
        entries=tuple(entry for part in parts for entry in part.entries),
        problems=tuple(problem for part in parts for problem in part.problems),
    )


def _or_problem(path: Path) -> Imported:
    try:
        return _file(path)
    except OSError as error:
        return Imported(problems=(f"{path} cannot be read: {system_reason(error)}",))


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


def size(pieces: Pieces) -> int:
    """How many turns or entries they hold."""
    return sum(map(_held, pieces))


def _held(piece: ImportTurnsRequest | ImportEntriesRequest) -> int:
    return len(piece.turns if isinstance(piece, ImportTurnsRequest) else piece.entries)


def hand_over(
    wire: Wire, pieces: Pieces, *, dry_run: bool, told: Callable[[int], None] = lambda _: None
) -> ImportJson:
    """Send one thing's pieces in their order and sum up the answers; one that is refused is the last.

    ``told`` hears after each piece how much it held.
    """
    total: ImportJson = {"done": not dry_run, "new": 0, "already": 0, "session": "", "refused": []}
    for piece in pieces:
        if dry_run and total["new"] and isinstance(piece, ImportTurnsRequest):
            told(_held(piece))
            total["new"] += len(piece.turns)  # it goes on behind what is new: all of it is
            continue
        answer: ImportJson = wire.call(replace(piece, dry_run=dry_run))
        total["new"] += answer["new"]
        total["already"] += answer["already"]
        total["session"] = answer["session"]
        total["refused"] += answer["refused"]
        told(_held(piece))
        if answer["refused"]:
            break
    return total
