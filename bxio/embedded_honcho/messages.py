"""Messages: appended all or none, kept in the order of insertion, never told apart from a repeat."""

from __future__ import annotations

import json
import sqlite3
from http import HTTPStatus
from typing import Any

from bxcore.http import HttpResponse, json_response
from bxcore.quoting import MARK, UNMARK
from bxcore.statements import statements
from bxcore.workspaces import is_honcho_name
from bxio.embedded_honcho import rows
from bxio.embedded_honcho.bodies import Batch, Changed, Listed, Message, Page
from bxio.embedded_honcho.call import Call
from bxio.embedded_honcho.filters import MESSAGES, Condition, condition, stamp
from bxio.embedded_honcho.members import attend
from bxio.embedded_honcho.paging import Listing, page_of
from bxio.embedded_honcho.problems import not_found, refused
from bxio.embedded_honcho.reading import body_of, query_of

_NO_MARKS = {ord(MARK): " ", ord(UNMARK): " "}


def append(call: Call) -> HttpResponse:
    """201 and the bare list of what was stored; workspace, session and peers are made on the way."""
    batch = body_of(call.request, Batch).messages
    for message in batch:
        if not is_honcho_name(message.peer_id):
            raise refused(f"Invalid peer id: {message.peer_id[:100]}")
    session = call.names["name"]
    with call.transaction() as tx:
        rows.ensure(tx, rows.SESSION, call.workspace, session)
        attend(tx, call.workspace, session, dict.fromkeys(message.peer_id for message in batch))
        stored = [_store(tx, call.workspace, session, message) for message in batch]
    return json_response(HTTPStatus.CREATED, stored)


def list_messages(call: Call) -> HttpResponse:
    """The session's messages, in a page; none of an unknown session."""
    listed = body_of(call.request, Listed, optional=True)
    page = query_of(call.request, Page)
    inside = Condition("workspace = ? AND session = ?", (call.workspace, call.names["name"]))
    listing = Listing(
        table="messages", where=(inside, condition(listed.filters, MESSAGES)), order="seq", show=wire
    )
    with call.transaction() as tx:
        return json_response(HTTPStatus.OK, page_of(tx, listing, page))


def show_message(call: Call) -> HttpResponse:
    """One message."""
    with call.transaction() as tx:
        return json_response(HTTPStatus.OK, wire(_find(tx, call)))


def change_message(call: Call) -> HttpResponse:
    """Replace a message's metadata; its text stays for ever."""
    changed = body_of(call.request, Changed)
    with call.transaction() as tx:
        _find(tx, call)
        if changed.metadata is not None:
            tx.execute(
                "UPDATE messages SET metadata = ? WHERE id = ?",
                (json.dumps(changed.metadata), call.names["message"]),
            )
        return json_response(HTTPStatus.OK, wire(_find(tx, call)))


def wire(row: sqlite3.Row) -> dict[str, Any]:
    """A message as the API shows it."""
    return {
        "id": row["id"],
        "content": row["content"],
        "peer_id": row["peer"],
        "session_id": row["session"],
        "metadata": json.loads(row["metadata"]),
        "created_at": row["created_at"],
        "workspace_id": row["workspace"],
        "token_count": row["token_count"],
    }


def _store(tx: sqlite3.Connection, workspace: str, session: str, message: Message) -> dict[str, Any]:
    row = {
        "id": rows.new_id(),
        "workspace": workspace,
        "session": session,
        "peer": message.peer_id,
        "content": message.content,
        "metadata": json.dumps(message.metadata or {}),
        "created_at": rows.now() if message.created_at is None else stamp(message.created_at),
        "token_count": -(-len(message.content) // 4),
    }
    columns = ", ".join(row)
    marks = ", ".join("?" * len(row))
    seq = tx.execute(f"INSERT INTO messages ({columns}) VALUES ({marks})", tuple(row.values())).lastrowid  # noqa: S608 - our own names
    stated = statements(message.content).translate(_NO_MARKS)
    tx.execute(
        "INSERT INTO message_text (rowid, content, statements) VALUES (?, ?, ?)",
        (seq, row["content"], stated),
    )
    found = tx.execute("SELECT * FROM messages WHERE seq = ?", (seq,)).fetchone()
    return wire(found)


def _find(tx: sqlite3.Connection, call: Call) -> sqlite3.Row:
    found: sqlite3.Row | None = tx.execute(
        "SELECT * FROM messages WHERE workspace = ? AND session = ? AND id = ?",
        (call.workspace, call.names["name"], call.names["message"]),
    ).fetchone()
    if found is None:
        raise not_found("Message", call.names["message"])
    return found
