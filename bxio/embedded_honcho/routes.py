"""Every route of the API, in one table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus

from bxcore.http import HttpResponse, json_response
from bxio.embedded_honcho import chat, members, messages, named, removal, search
from bxio.embedded_honcho.call import Call, Handler
from bxio.embedded_honcho.problems import HttpProblem


def health(_call: Call) -> HttpResponse:
    """Needs no token and looks at nothing."""
    return json_response(HTTPStatus.OK, {"status": "ok"})


def queue_status(_call: Call) -> HttpResponse:
    """Nothing ever waits here: what was appended is known at once."""
    kinds = ("total", "completed", "in_progress", "pending")
    return json_response(HTTPStatus.OK, {**{f"{kind}_work_units": 0 for kind in kinds}, "sessions": None})


_W = "/v3/workspaces"
_TABLE: Mapping[str, Mapping[str, Handler]] = {
    "/health": {"GET": health},
    _W: {"POST": named.make_workspace},
    f"{_W}/list": {"POST": named.list_workspaces},
    f"{_W}/{{workspace}}": {"PUT": named.change_workspace, "DELETE": removal.delete_workspace},
    f"{_W}/{{workspace}}/chat": {"POST": chat.chat_workspace},
    f"{_W}/{{workspace}}/search": {"POST": search.search_workspace},
    f"{_W}/{{workspace}}/queue/status": {"GET": queue_status},
    f"{_W}/{{workspace}}/peers": {"POST": named.make_peer},
    f"{_W}/{{workspace}}/peers/list": {"POST": named.list_peers},
    f"{_W}/{{workspace}}/peers/{{name}}": {"PUT": named.change_peer},
    f"{_W}/{{workspace}}/peers/{{name}}/sessions": {"POST": members.list_sessions},
    f"{_W}/{{workspace}}/peers/{{name}}/chat": {"POST": chat.chat_peer},
    f"{_W}/{{workspace}}/peers/{{name}}/search": {"POST": search.search_peer},
    f"{_W}/{{workspace}}/sessions": {"POST": named.make_session},
    f"{_W}/{{workspace}}/sessions/list": {"POST": named.list_sessions},
    f"{_W}/{{workspace}}/sessions/{{name}}": {
        "PUT": named.change_session,
        "DELETE": removal.delete_session,
    },
    f"{_W}/{{workspace}}/sessions/{{name}}/search": {"POST": search.search_session},
    f"{_W}/{{workspace}}/sessions/{{name}}/peers": {
        "GET": members.list_peers,
        "POST": members.add_peers,
        "PUT": members.set_peers,
        "DELETE": members.remove_peers,
    },
    f"{_W}/{{workspace}}/sessions/{{name}}/peers/{{peer}}/config": {
        "GET": members.show_configuration,
        "PUT": members.set_configuration,
    },
    f"{_W}/{{workspace}}/sessions/{{name}}/messages": {"POST": messages.append},
    f"{_W}/{{workspace}}/sessions/{{name}}/messages/list": {"POST": messages.list_messages},
    f"{_W}/{{workspace}}/sessions/{{name}}/messages/{{message}}": {
        "GET": messages.show_message,
        "PUT": messages.change_message,
    },
}


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template))


_ROUTES = tuple((_pattern(template), handlers) for template, handlers in _TABLE.items())


def route(method: str, path: str) -> tuple[Handler, Mapping[str, str]]:
    """Find the handler and the names in the path; a missing route is 404 ``Not Found``, to the letter."""
    allowed = False
    for pattern, handlers in _ROUTES:
        match = pattern.fullmatch(path)
        if match is None:
            continue
        allowed = True
        if method in handlers:
            return handlers[method], match.groupdict()
    if allowed:
        raise HttpProblem(HTTPStatus.METHOD_NOT_ALLOWED, "Method Not Allowed")
    raise HttpProblem(HTTPStatus.NOT_FOUND, "Not Found")
