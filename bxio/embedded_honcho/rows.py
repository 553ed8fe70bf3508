"""Workspaces, peers and sessions share a manner: named, made on the fly, with metadata that is replaced."""

from __future__ import annotations

import json
import secrets
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bxio.embedded_honcho.bodies import Changed
from bxio.embedded_honcho.filters import stamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of named thing: its table, and the word of its 404."""

    table: str
    word: str


WORKSPACE = Kind(table="workspaces", word="Workspace")
PEER = Kind(table="peers", word="Peer")
SESSION = Kind(table="sessions", word="Session")


def now() -> str:
    """The time as it is stored."""
    return stamp(datetime.now(UTC))


def new_id() -> str:
    """An id of 21 letters, digits, ``_`` and ``-``, as the real server gives."""
    return secrets.token_urlsafe(16)[:21]


def find(tx: sqlite3.Connection, kind: Kind, workspace: str, name: str) -> sqlite3.Row | None:
    """The row of a named thing; a workspace is its own ``workspace``."""
    row = tx.execute(f"SELECT * FROM {kind.table} WHERE {_key(kind)}", _values(kind, workspace, name))  # noqa: S608 - our own names
    found: sqlite3.Row | None = row.fetchone()
    return found


def ensure(tx: sqlite3.Connection, kind: Kind, workspace: str, name: str) -> bool:
    """Make the thing, and its workspace, if it is not there; whether it was made."""
    if kind is not WORKSPACE:
        ensure(tx, WORKSPACE, workspace, workspace)
    columns = ("name",) if kind is WORKSPACE else ("workspace", "name")
    made = tx.execute(
        f"INSERT OR IGNORE INTO {kind.table} ({', '.join(columns)}, uid, metadata, configuration, created_at)"  # noqa: S608 - our own names
        f" VALUES ({'?, ' * len(columns)}?, '{{}}', '{{}}', ?)",
        (*_values(kind, workspace, name), new_id(), now()),
    )
    return made.rowcount == 1


def change(tx: sqlite3.Connection, kind: Kind, workspace: str, name: str, changed: Changed) -> None:
    """Replace metadata and configuration whole; None leaves them."""
    for column, value in (("metadata", changed.metadata), ("configuration", changed.configuration)):
        if value is not None:
            tx.execute(
                f"UPDATE {kind.table} SET {column} = ? WHERE {_key(kind)}",  # noqa: S608 - our own names
                (json.dumps(value), *_values(kind, workspace, name)),
            )


def wire(kind: Kind, row: sqlite3.Row) -> dict[str, Any]:
    """A row as the API shows it."""
    shown = {
        "id": row["name"],
        "uid": row["uid"],
        "metadata": json.loads(row["metadata"]),
        "configuration": json.loads(row["configuration"]),
        "created_at": row["created_at"],
    }
    if kind is not WORKSPACE:
        shown["workspace_id"] = row["workspace"]
    return {**shown, "is_active": True} if kind is SESSION else shown


def _key(kind: Kind) -> str:
    return "name = ?" if kind is WORKSPACE else "workspace = ? AND name = ?"


def _values(kind: Kind, workspace: str, name: str) -> tuple[str, ...]:
    return (name,) if kind is WORKSPACE else (workspace, name)
