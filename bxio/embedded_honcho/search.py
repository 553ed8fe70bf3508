"""Finding messages by their words: stemmed, any of them, statements before questions."""

from __future__ import annotations

import sqlite3
from http import HTTPStatus

from bxcore.http import HttpResponse, json_response
from bxcore.quoting import MARK, UNMARK, Candidate
from bxcore.search_terms import any_of, terms
from bxio.embedded_honcho.bodies import Search
from bxio.embedded_honcho.call import Call
from bxio.embedded_honcho.filters import MESSAGES, Condition, condition
from bxio.embedded_honcho.messages import wire
from bxio.embedded_honcho.reading import body_of

MAX_CANDIDATES = 200
"""Messages that are looked at for one answer, by relevance."""

_FROM = (
    "FROM message_text JOIN messages ON messages.seq = message_text.rowid"
    " WHERE message_text MATCH ? AND workspace = ?"
)


def search_workspace(call: Call) -> HttpResponse:
    """The bare list of the best messages of the workspace; none of an unknown one."""
    return _search(call, Condition("1"))


def search_peer(call: Call) -> HttpResponse:
    """As ``search_workspace``, of what one peer said."""
    return _search(call, Condition("peer = ?", (call.names["name"],)))


def search_session(call: Call) -> HttpResponse:
    """As ``search_workspace``, of one session."""
    return _search(call, Condition("session = ?", (call.names["name"],)))


def candidates(
    tx: sqlite3.Connection, call: Call, wanted: tuple[str, ...], inside: Condition
) -> list[Candidate]:
    """Messages that state something with any of the words wanted."""
    found = tx.execute(
        f"SELECT messages.*, highlight(message_text, 1, ?, ?) AS marked {_FROM} AND ({inside.sql})"
        " ORDER BY bm25(message_text, 0.0, 1.0) LIMIT ?",
        (
            MARK,
            UNMARK,
            any_of(wanted, columns="statements"),
            call.workspace,
            *inside.values,
            MAX_CANDIDATES,
        ),
    )
    return [
        Candidate(
            peer=row["peer"],
            said_on=row["created_at"],
            order=row["seq"],
            marked=row["marked"],
            by_agent=row["peer"] == call.agent,
        )
        for row in found
    ]


def _search(call: Call, inside: Condition) -> HttpResponse:
    search = body_of(call.request, Search)
    chosen = condition(search.filters, MESSAGES)
    wanted = terms(search.query)
    if not wanted:
        return json_response(HTTPStatus.OK, [])
    with call.transaction() as tx:
        found = tx.execute(
            f"SELECT messages.* {_FROM} AND ({inside.sql}) AND ({chosen.sql})"
            " ORDER BY statements = '', bm25(message_text, 1.0, 1.0), seq DESC LIMIT ?",
            (
                any_of(wanted, columns="content statements"),
                call.workspace,
                *inside.values,
                *chosen.values,
                search.limit,
            ),
        )
        return json_response(HTTPStatus.OK, [wire(row) for row in found])
