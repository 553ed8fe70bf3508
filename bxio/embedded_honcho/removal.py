"""Forgetting: a session with its messages, and a workspace that has none left."""

from __future__ import annotations

from http import HTTPStatus

from bxcore.http import HttpResponse, json_response
from bxio.embedded_honcho import rows
from bxio.embedded_honcho.call import Call
from bxio.embedded_honcho.problems import HttpProblem, not_found


def delete_session(call: Call) -> HttpResponse:
    """202, as where it takes a while; here all is gone at once, and its text from the file."""
    session = call.names["name"]
    with call.transaction(erasing=True) as tx:
        if rows.find(tx, rows.SESSION, call.workspace, session) is None:
            raise not_found("Session", session)
        tx.execute(
            "DELETE FROM message_text WHERE rowid IN"
            " (SELECT seq FROM messages WHERE workspace = ? AND session = ?)",
            (call.workspace, session),
        )
        tx.execute("DELETE FROM sessions WHERE workspace = ? AND name = ?", (call.workspace, session))
    return json_response(HTTPStatus.ACCEPTED, {"message": "Session deleted successfully"})


def delete_workspace(call: Call) -> HttpResponse:
    """202; 409 while it has sessions."""
    with call.transaction() as tx:
        if rows.find(tx, rows.WORKSPACE, call.workspace, call.workspace) is None:
            raise not_found("Workspace", call.workspace)
        left = tx.execute("SELECT count(*) FROM sessions WHERE workspace = ?", (call.workspace,)).fetchone()[
            0
        ]
        if left:
            raise HttpProblem(
                HTTPStatus.CONFLICT, f"Workspace {call.workspace} has active sessions; delete them first"
            )
        tx.execute("DELETE FROM workspaces WHERE name = ?", (call.workspace,))
    return HttpResponse(status=HTTPStatus.ACCEPTED)
