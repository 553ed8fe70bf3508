"""What boxmaker asks of a Honcho server (spec 4.4, 4.7); every call has a deadline and may be cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from bxcore import honcho_text
from bxcore.records import whole
from bxio.deadline_http import Cut
from bxio.honcho.errors import NoSuchRoute, NoSuchWorkspace, NotFound, NoWorkspaceChat, Refused, WrongShape
from bxio.honcho.exchange import Request, exchange
from bxio.honcho.server import HonchoServer, checked, session_path, workspace_path
from bxio.honcho.values import NewMessage, Paged, QueueStatus, StoredMessage

_T = TypeVar("_T")
_MESSAGES = TypeAdapter(list[StoredMessage])
_QUEUE = TypeAdapter(QueueStatus)
_PAGED = TypeAdapter(Paged)
_PAGE = 25
_MOST_OF_LIST = 4 * 1024 * 1024
"""Bytes of a list: a page of the longest messages, or a hundred long ones."""


class HonchoClient:
    """A client of one server; it holds no connection, and any thread may use it.

    Every method raises ``HonchoUnavailable`` when there is no usable answer by ``deadline_s`` (absolute,
    monotonic), and ``BadName`` for a name that Honcho does not take. ``cut`` ends a call early.
    """

    def __init__(self, server: HonchoServer) -> None:
        self._server = server

    def sends_a_token(self, workspace: str) -> bool:
        """Whether there is a token to send for the workspace."""
        return bool(self._server.token_of(workspace))

    def chat(self, workspace: str, question: str, deadline_s: float, cut: Cut | None = None) -> str | None:
        """Ask all that a workspace knows; None or blank is an empty answer (spec 4.4, item 3)."""
        body = {"query": honcho_text.query(question), "reasoning_level": "minimal"}
        try:
            answer = self._post(workspace, workspace_path(workspace, "chat"), body, deadline_s, cut)
        except NoSuchRoute as missing:
            raise NoWorkspaceChat(missing.status) from None
        content = answer.get("content", _MISSING) if isinstance(answer, dict) else _MISSING
        if content is None:
            return None
        if not isinstance(content, str):
            raise WrongShape
        return whole(content)

    def append(
        self,
        workspace: str,
        session: str,
        messages: Sequence[NewMessage],
        deadline_s: float,
        cut: Cut | None = None,
    ) -> list[StoredMessage]:
        """Append 1 to 100 messages, all or none; the server makes peers and session on the way.

        Never repeated from here: the same batch twice is two copies.
        """
        body = {"messages": [_wire(message) for message in messages]}
        path = session_path(workspace, session, "messages")
        request = Request(workspace=workspace, method="POST", path=path, body=body, most_bytes=_MOST_OF_LIST)
        return _read(_MESSAGES, self._ask(request, deadline_s, cut))

    def search(
        self, workspace: str, query: str, limit: int, deadline_s: float, cut: Cut | None = None
    ) -> list[StoredMessage]:
        """Find at most ``limit`` (1 to 100) messages near ``query``, best first."""
        body = {"query": honcho_text.search_query(query), "limit": limit}
        path = workspace_path(workspace, "search")
        request = Request(workspace=workspace, method="POST", path=path, body=body, most_bytes=_MOST_OF_LIST)
        return _read(_MESSAGES, self._ask(request, deadline_s, cut))

    def find(
        self,
        workspace: str,
        session: str,
        metadata: Mapping[str, Any],
        deadline_s: float,
        cut: Cut | None = None,
    ) -> list[StoredMessage]:
        """Find the messages of a session that have all of ``metadata``, oldest first, at most 10,000."""
        path = session_path(workspace, session, "messages", "list")
        body = {"filters": {"metadata": dict(metadata)}}
        found: list[StoredMessage] = []
        for number in _pages():
            params = {"page": str(number), "size": str(_PAGE)}
            request = Request(
                workspace=workspace,
                method="POST",
                path=path,
                body=body,
                params=params,
                most_bytes=_MOST_OF_LIST,
            )
            page = self._ask(request, deadline_s, cut)
            items = _read(_MESSAGES, page.get("items") if isinstance(page, dict) else None)
            found += items
            if len(items) < _PAGE:
                break
        return found

    def has_said_anything(self, workspace: str, deadline_s: float, cut: Cut | None = None) -> bool:
        """Whether the workspace has a session; one that does not exist has none, and is not made."""
        path = workspace_path(workspace, "sessions", "list")
        request = Request(
            workspace=workspace, method="POST", path=path, body={}, params={"page": "1", "size": "1"}
        )
        return bool(_read(_PAGED, self._ask(request, deadline_s, cut)).total)

    def look_for_chat(self, workspace: str, deadline_s: float, cut: Cut | None = None) -> None:
        """Have the chat's route look for the workspace, and for a session that nobody has.

        The server says that there is no such session before it asks its model, so this costs nothing. It
        raises ``NoSuchWorkspace`` or ``NoWorkspaceChat``, as ``chat`` does, and is silent when both are
        there.
        """
        body = {"query": "is anybody there", "reasoning_level": "minimal", "session_id": NO_SESSION}
        try:
            self._post(workspace, workspace_path(workspace, "chat"), body, deadline_s, cut)
        except NoSuchRoute as missing:
            raise NoWorkspaceChat(missing.status) from None
        except (NotFound, Refused):
            return

    def ensure_workspace(self, workspace: str, deadline_s: float, cut: Cut | None = None) -> None:
        """Make the workspace if it is not there."""
        self._post(workspace, "/v3/workspaces", {"id": checked(workspace)}, deadline_s, cut)

    def ensure_peer(self, workspace: str, peer: str, deadline_s: float, cut: Cut | None = None) -> None:
        """Make the peer if it is not there."""
        self._post(workspace, workspace_path(workspace, "peers"), {"id": checked(peer)}, deadline_s, cut)

    def ensure_session(self, workspace: str, session: str, deadline_s: float, cut: Cut | None = None) -> None:
        """Make the session if it is not there."""
        self._post(
            workspace, workspace_path(workspace, "sessions"), {"id": checked(session)}, deadline_s, cut
        )

    def delete_session(self, workspace: str, session: str, deadline_s: float, cut: Cut | None = None) -> None:
        """Delete a session and all that was said in it; one that is not there is gone already.

        A server may take a while over it after its 202. Peers and the rest of the workspace stay.
        """
        try:
            self._ask(
                Request(workspace=workspace, method="DELETE", path=session_path(workspace, session)),
                deadline_s,
                cut,
            )
        except (NotFound, NoSuchWorkspace):
            return

    def queue_status(self, workspace: str, deadline_s: float, cut: Cut | None = None) -> QueueStatus:
        """How much the server has still to think about before its chat knows it."""
        path = workspace_path(workspace, "queue", "status")
        return _read(
            _QUEUE, self._ask(Request(workspace=workspace, method="GET", path=path), deadline_s, cut)
        )

    def _post(self, workspace: str, path: str, body: Any, deadline_s: float, cut: Cut | None) -> Any:
        return self._ask(Request(workspace=workspace, method="POST", path=path, body=body), deadline_s, cut)

    def _ask(self, request: Request, deadline_s: float, cut: Cut | None) -> Any:
        return exchange(self._server, request, deadline_s, cut or Cut())


_MISSING = object()
NO_SESSION = "_boxmaker_doctor_asks_for_no_session"
"""No session of boxmaker's has a name that begins so."""


def _pages() -> Iterator[int]:
    """Page numbers to ask for, an end to them: a server might call every page full."""
    return iter(range(1, 401))


def _wire(message: NewMessage) -> dict[str, Any]:
    wire = {
        "peer_id": checked(message.peer),
        "content": honcho_text.sendable(message.content),
        "metadata": dict(message.metadata),
    }
    return wire if message.created_at is None else {**wire, "created_at": message.created_at}


def _read(adapter: TypeAdapter[_T], answer: Any) -> _T:
    try:
        return adapter.validate_python(answer)
    except ValidationError:
        raise WrongShape from None
