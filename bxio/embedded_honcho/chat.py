"""Answering a question from what was said: by a model when there is one, else by quoting (spec 4.8)."""

from __future__ import annotations

import json
from http import HTTPStatus

from bxcore.http import HttpResponse, json_response
from bxcore.quoting import Passage, best, quote
from bxcore.search_terms import terms
from bxio.embedded_honcho import rows
from bxio.embedded_honcho.bodies import Chat
from bxio.embedded_honcho.call import Call
from bxio.embedded_honcho.filters import Condition
from bxio.embedded_honcho.problems import not_found, refused
from bxio.embedded_honcho.reading import body_of
from bxio.embedded_honcho.search import candidates


def chat_workspace(call: Call) -> HttpResponse:
    """Answer from all that was said in the workspace; ``content`` is null when nothing is about it."""
    return _chat(call, Condition("1"))


def chat_peer(call: Call) -> HttpResponse:
    """Answer from what one peer said."""
    return _chat(call, Condition("peer = ?", (call.names["name"],)))


def _chat(call: Call, inside: Condition) -> HttpResponse:
    chat = body_of(call.request, Chat)
    if chat.response_format is not None:
        raise refused("response_format is not offered by the embedded server")
    # No lock is held while a model answers.
    content = _answer(call, chat.query, _passages(call, chat, inside))
    if chat.stream:
        return _streamed(content)
    return json_response(HTTPStatus.OK, {"content": content})


def _passages(call: Call, chat: Chat, inside: Condition) -> list[Passage]:
    with call.transaction() as tx:
        if rows.find(tx, rows.WORKSPACE, call.workspace, call.workspace) is None:
            raise not_found("Workspace", call.workspace)
        if chat.scope:
            raise not_found("Scope", chat.scope if isinstance(chat.scope, str) else chat.scope[0])
        if chat.session_id is not None:
            if rows.find(tx, rows.SESSION, call.workspace, chat.session_id) is None:
                raise not_found("Session", chat.session_id)
            inside = Condition(f"({inside.sql}) AND session = ?", (*inside.values, chat.session_id))
        wanted = terms(chat.query)
        return best(wanted, candidates(tx, call, wanted, inside)) if wanted else []


def _answer(call: Call, question: str, passages: list[Passage]) -> str | None:
    if not passages:
        return None
    answer = None if call.responder is None else call.responder(question, passages, call.deadline_s)
    return answer if answer and answer.strip() else quote(passages)


def _streamed(content: str | None) -> HttpResponse:
    """The whole answer as one server-sent event, and the event that ends a stream."""
    events = [{"delta": {"content": content or ""}, "done": False}, {"delta": {}, "done": True}]
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    return HttpResponse(status=HTTPStatus.OK, body=body, headers={"content-type": "text/event-stream"})
