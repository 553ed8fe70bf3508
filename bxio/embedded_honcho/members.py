"""The peers of a session."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

from pydantic import TypeAdapter

from bxcore.http import HttpResponse, json_response
from bxio.embedded_honcho import rows
from bxio.embedded_honcho.bodies import Name, Page
from bxio.embedded_honcho.call import Call
from bxio.embedded_honcho.filters import Condition
from bxio.embedded_honcho.paging import Listing, page_of
from bxio.embedded_honcho.problems import not_found
from bxio.embedded_honcho.reading import query_of, value_of

_PEERS = TypeAdapter(dict[Name, dict[str, Any]])
_NAMES = TypeAdapter(list[Name])
_CONFIGURATION = TypeAdapter(dict[str, Any])


def join(tx: sqlite3.Connection, workspace: str, session: str, peers: Mapping[str, dict[str, Any]]) -> None:
    """Put peers into a session, making those that are not there; a configuration given replaces the old."""
    for peer, configuration in peers.items():
        rows.ensure(tx, rows.PEER, workspace, peer)
        tx.execute(
            "INSERT INTO members VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET configuration = excluded.configuration",
            (workspace, session, peer, json.dumps(configuration)),
        )


def attend(tx: sqlite3.Connection, workspace: str, session: str, peers: Iterable[str]) -> None:
    """Note that peers have spoken in a session, leaving the configuration of those that are in it."""
    for peer in peers:
        rows.ensure(tx, rows.PEER, workspace, peer)
        tx.execute("INSERT OR IGNORE INTO members VALUES (?, ?, ?, '{}')", (workspace, session, peer))


def add_peers(call: Call, *, alone: bool = False) -> HttpResponse:
    """Put peers into the session; ``alone`` takes every other out. The answer is the session."""
    peers = value_of(call.request, _PEERS)
    session = call.names["name"]
    with call.transaction() as tx:
        rows.ensure(tx, rows.SESSION, call.workspace, session)
        if alone:
            tx.execute("DELETE FROM members WHERE workspace = ? AND session = ?", (call.workspace, session))
        join(tx, call.workspace, session, peers)
        return _session(tx, call)


set_peers = partial(add_peers, alone=True)


def remove_peers(call: Call) -> HttpResponse:
    """Take peers out of the session; the answer is the session."""
    names = value_of(call.request, _NAMES)
    with call.transaction() as tx:
        for name in names:
            tx.execute(
                "DELETE FROM members WHERE workspace = ? AND session = ? AND peer = ?",
                (call.workspace, call.names["name"], name),
            )
        return _session(tx, call)


def list_peers(call: Call) -> HttpResponse:
    """The session's peers, in a page."""
    listing = Listing(
        table="peers",
        where=(
            Condition("workspace = ?", (call.workspace,)),
            Condition(
                "name IN (SELECT peer FROM members WHERE workspace = ? AND session = ?)",
                (call.workspace, call.names["name"]),
            ),
        ),
        order="rowid",
        show=partial(rows.wire, rows.PEER),
    )
    page = query_of(call.request, Page)
    with call.transaction() as tx:
        return json_response(HTTPStatus.OK, page_of(tx, listing, page))


def list_sessions(call: Call) -> HttpResponse:
    """The sessions that a peer is in, in a page."""
    listing = Listing(
        table="sessions",
        where=(
            Condition("workspace = ?", (call.workspace,)),
            Condition(
                "name IN (SELECT session FROM members WHERE workspace = ? AND peer = ?)",
                (call.workspace, call.names["name"]),
            ),
        ),
        order="rowid",
        show=partial(rows.wire, rows.SESSION),
    )
    page = query_of(call.request, Page)
    with call.transaction() as tx:
        return json_response(HTTPStatus.OK, page_of(tx, listing, page))


def show_configuration(call: Call) -> HttpResponse:
    """How a peer takes part in the session."""
    with call.transaction() as tx:
        row = tx.execute(
            "SELECT configuration FROM members WHERE workspace = ? AND session = ? AND peer = ?",
            (call.workspace, call.names["name"], call.names["peer"]),
        ).fetchone()
    if row is None:
        raise not_found("Peer", call.names["peer"])
    return json_response(HTTPStatus.OK, json.loads(row["configuration"]))


def set_configuration(call: Call) -> HttpResponse:
    """Change how a peer takes part in the session."""
    configuration = value_of(call.request, _CONFIGURATION)
    with call.transaction() as tx:
        rows.ensure(tx, rows.SESSION, call.workspace, call.names["name"])
        join(tx, call.workspace, call.names["name"], {call.names["peer"]: configuration})
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def _session(tx: sqlite3.Connection, call: Call) -> HttpResponse:
    row = rows.find(tx, rows.SESSION, call.workspace, call.names["name"])
    if row is None:
        raise not_found("Session", call.names["name"])
    return json_response(HTTPStatus.OK, rows.wire(rows.SESSION, row))
