"""From an httpx client to a handler and back, without a socket."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from bxcore.http import HttpRequest, HttpResponse


class InProcessTransport(httpx.BaseTransport):
    """Calls ``handle`` in the thread of who sends; a deadline comes as the request's own extension."""

    def __init__(self, handle: Callable[[HttpRequest], HttpResponse]) -> None:
        self._handle = handle

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer as a server would; ``httpx.ReadTimeout`` when the deadline passed on the way."""
        try:
            answer = self._handle(_value(request))
        except TimeoutError as error:
            raise httpx.ReadTimeout(str(error)) from error
        return httpx.Response(
            answer.status, headers=dict(answer.headers), stream=httpx.ByteStream(answer.body)
        )


def _value(request: httpx.Request) -> HttpRequest:
    return HttpRequest(
        method=request.method,
        path=request.url.path,
        query=request.url.query.decode("ascii"),
        headers={name.lower(): value for name, value in request.headers.items()},
        body=request.read(),
        deadline_s=request.extensions.get("deadline_s"),
    )
