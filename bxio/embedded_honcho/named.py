"""Get-or-create, change and list, the same for workspaces, peers and sessions."""

from __future__ import annotations

import sqlite3
from functools import partial
from http import HTTPStatus

from bxcore.http import HttpResponse, json_response
from bxio.embedded_honcho import rows
from bxio.embedded_honcho.bodies import Changed, Listed, Made, MadeSession, Page
from bxio.embedded_honcho.call import Call
from bxio.embedded_honcho.filters import NAMED, Condition, condition
from bxio.embedded_honcho.members import join
from bxio.embedded_honcho.paging import Listing, page_of
from bxio.embedded_honcho.reading import body_of, query_of


def make_workspace(call: Call) -> HttpResponse:
    """201 when it is new; metadata of one that is there already is left alone."""
    made = body_of(call.request, Made)
    with call.transaction() as tx:
        new = rows.ensure(tx, rows.WORKSPACE, made.id, made.id)
        if new:
            rows.change(tx, rows.WORKSPACE, made.id, made.id, _changes(made))
        return _shown(tx, rows.WORKSPACE, made.id, made.id, new=new)


def make_peer(call: Call) -> HttpResponse:
    """201 when it is new; metadata of one that is there already is replaced."""
    made = body_of(call.request, Made)
    with call.transaction() as tx:
        new = rows.ensure(tx, rows.PEER, call.workspace, made.id)
        rows.change(tx, rows.PEER, call.workspace, made.id, _changes(made))
        return _shown(tx, rows.PEER, call.workspace, made.id, new=new)


def make_session(call: Call) -> HttpResponse:
    """As ``make_peer``, and the peers named are put into it."""
    made = body_of(call.request, MadeSession)
    with call.transaction() as tx:
        new = rows.ensure(tx, rows.SESSION, call.workspace, made.id)
        rows.change(tx, rows.SESSION, call.workspace, made.id, _changes(made))
        join(tx, call.workspace, made.id, made.peers or {})
        return _shown(tx, rows.SESSION, call.workspace, made.id, new=new)


def _change(kind: rows.Kind, call: Call) -> HttpResponse:
    changed = body_of(call.request, Changed)
    name = call.names.get("name", call.workspace)
    with call.transaction() as tx:
        rows.ensure(tx, kind, call.workspace, name)
        rows.change(tx, kind, call.workspace, name, changed)
        return _shown(tx, kind, call.workspace, name, new=False)


change_workspace = partial(_change, rows.WORKSPACE)
change_peer = partial(_change, rows.PEER)
change_session = partial(_change, rows.SESSION)


def _list(kind: rows.Kind, call: Call) -> HttpResponse:
    listed = body_of(call.request, Listed, optional=True)
    page = query_of(call.request, Page)
    inside = () if kind is rows.WORKSPACE else (Condition("workspace = ?", (call.workspace,)),)
    listing = Listing(
        table=kind.table,
        where=(*inside, condition(listed.filters, NAMED)),
        order="rowid",
        show=partial(rows.wire, kind),
    )
    with call.transaction() as tx:
        return json_response(HTTPStatus.OK, page_of(tx, listing, page))


list_workspaces = partial(_list, rows.WORKSPACE)
list_peers = partial(_list, rows.PEER)
list_sessions = partial(_list, rows.SESSION)


def _changes(made: Made) -> Changed:
    return Changed(metadata=made.metadata, configuration=made.configuration)


def _shown(tx: sqlite3.Connection, kind: rows.Kind, workspace: str, name: str, *, new: bool) -> HttpResponse:
    row = rows.find(tx, kind, workspace, name)
    assert row is not None
    return json_response(HTTPStatus.CREATED if new else HTTPStatus.OK, rows.wire(kind, row))
