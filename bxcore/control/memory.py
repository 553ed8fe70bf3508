"""What memory and the outbox show an operator, as the control socket's JSON (spec 4.2, 4.7, 6.3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypedDict

from bxcore.control.answers import DoneJson, LabelJson
from bxcore.control.label import label_json
from bxcore.memory_views import (
    EntryView,
    FileView,
    ForgetView,
    ImportView,
    OutboxView,
    ProposalView,
    RevisionView,
    Told,
)


class EntryJson(TypedDict):
    """One entry; ``lifted`` when an operator lifted its label."""

    id: str
    text: str
    label: LabelJson
    origin: str
    at: str
    lifted: bool


class FileJson(TypedDict):
    """One memory file; sizes in characters."""

    file: str
    path: str
    size: int
    limit: int
    entries: list[EntryJson]


class MemoryJson(TypedDict):
    """The memory files."""

    files: list[FileJson]


class RevisionJson(TypedDict):
    """One edit; ``undone`` is the number of the one that took it back, or 0."""

    number: int
    file: str
    origin: str
    at: str
    label: LabelJson
    removed: list[str]
    added: list[str]
    undone: int


class MemoryLogJson(TypedDict):
    """Edits, the newest first."""

    revisions: list[RevisionJson]


class ProposedJson(TypedDict):
    """An entry of a proposal, and the ids of those that it stands for."""

    number: int
    text: str
    stands_for: list[str]
    label: LabelJson


class ProposalJson(TypedDict):
    """A shorter set of entries; ``kept`` are ids of entries that stay."""

    file: str
    id: str
    size_before: int
    size_after: int
    limit: int
    entries: list[ProposedJson]
    kept: list[str]


class ForgetJson(TypedDict):
    """What was forgotten, or would be."""

    done: bool
    sessions: list[str]
    turns: int
    entries: int
    revisions: int
    busy: list[str]
    left: list[str]


class ImportJson(TypedDict):
    """What an import brought, or would bring."""

    done: bool
    new: int
    already: int
    session: str
    refused: list[str]


class OutboxRowJson(TypedDict):
    """A turn that is not in Honcho."""

    id: str
    session: str
    turn: int
    workspace: str
    state: Literal["waiting", "parked"]
    why: str
    age_s: float


class OutboxJson(TypedDict):
    """What waits and what is parked."""

    waiting: int
    parked: int
    oldest_s: float
    failing: str
    next_try_s: float
    rows: list[OutboxRowJson]
    queue: dict[str, str]


def memory_json(files: Iterable[FileView]) -> MemoryJson:
    """Write the files."""
    return {
        "files": [
            {
                "file": view.file,
                "path": view.path,
                "size": view.size,
                "limit": view.limit,
                "entries": [_entry(entry) for entry in view.entries],
            }
            for view in files
        ]
    }


def _entry(entry: EntryView) -> EntryJson:
    return {
        "id": entry.id,
        "text": entry.text,
        "label": label_json(entry.label),
        "origin": entry.origin,
        "at": entry.at,
        "lifted": entry.lifted,
    }


def log_json(revisions: Iterable[RevisionView]) -> MemoryLogJson:
    """Write edits."""
    return {
        "revisions": [
            {
                "number": each.number,
                "file": each.file,
                "origin": each.origin,
                "at": each.at,
                "label": label_json(each.label),
                "removed": list(each.removed),
                "added": list(each.added),
                "undone": each.undone,
            }
            for each in revisions
        ]
    }


def told_json(told: Told) -> DoneJson:
    """Write what became of a wish."""
    return {"ok": told.ok, "sentence": told.sentence}


def proposal_json(view: ProposalView) -> ProposalJson:
    """Write a proposal."""
    return {
        "file": view.file,
        "id": view.id,
        "size_before": view.size_before,
        "size_after": view.size_after,
        "limit": view.limit,
        "entries": [
            {
                "number": entry.number,
                "text": entry.text,
                "stands_for": list(entry.stands_for),
                "label": label_json(entry.label),
            }
            for entry in view.entries
        ],
        "kept": list(view.kept),
    }


def forget_json(view: ForgetView) -> ForgetJson:
    """Write what was forgotten."""
    return {
        "done": view.done,
        "sessions": list(view.sessions),
        "turns": view.turns,
        "entries": view.entries,
        "revisions": view.revisions,
        "busy": list(view.busy),
        "left": list(view.left),
    }


def import_json(view: ImportView) -> ImportJson:
    """Write what an import brought."""
    return {
        "done": view.done,
        "new": view.new,
        "already": view.already,
        "session": view.session,
        "refused": list(view.refused),
    }


def outbox_json(view: OutboxView) -> OutboxJson:
    """Write what waits."""
    return {
        "waiting": view.waiting,
        "parked": view.parked,
        "oldest_s": round(view.oldest_s, 1),
        "failing": view.failing,
        "next_try_s": round(view.next_try_s, 1),
        "rows": [
            {
                "id": row.id,
                "session": row.session,
                "turn": row.turn,
                "workspace": row.workspace,
                "state": row.state,
                "why": row.why,
                "age_s": round(row.age_s, 1),
            }
            for row in view.rows
        ],
        "queue": dict(view.queue),
    }
