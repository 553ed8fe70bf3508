"""One request to Honcho and its JSON, or one of the reasons in ``bxio.honcho.errors``.

Each exchange has a connection of its own: a pooled one is reset behind every failure of the real server.
So nothing is ever sent twice from here.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx

from bxio.deadline_http import Cut, TooLong, read_capped
from bxio.honcho import errors
from bxio.honcho.server import HonchoServer

MAX_BODY = 1024 * 1024
"""Bytes read of an answer."""

_BY_STATUS: Mapping[int, type[errors.HonchoUnavailable]] = {
    HTTPStatus.UNAUTHORIZED: errors.TokenRefused,
    HTTPStatus.FORBIDDEN: errors.TokenRefused,
    HTTPStatus.UNPROCESSABLE_ENTITY: errors.Refused,
    HTTPStatus.TOO_MANY_REQUESTS: errors.TooManyRequests,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to ask for: method, path, JSON body (None for none) and query parameters."""

    method: str
    path: str
    body: Any = None
    params: Mapping[str, str] | None = None


def exchange(server: HonchoServer, request: Request, deadline_s: float, cut: Cut) -> Any:
    """Send one request and return its JSON, None for a 202 or 204; raises ``HonchoUnavailable``.

    ``deadline_s`` is absolute, on the monotonic clock, for the whole exchange.
    """
    limit_ms = max(0, round((deadline_s - time.monotonic()) * 1000))
    try:
        with server.client(deadline_s, cut) as client, _open(client, request, deadline_s) as response:
            return _read(response)
    except (httpx.TransportError, httpx.InvalidURL) as error:
        if cut.was_cut:
            raise errors.WasCut from None
        if isinstance(error, httpx.TimeoutException):
            raise errors.Late(detail=f"no answer in {limit_ms} ms") from None
        raise _broken(error) from None


def _open(client: httpx.Client, request: Request, deadline_s: float) -> Any:
    return client.stream(
        request.method,
        request.path,
        json=request.body,
        params=request.params,
        extensions={"deadline_s": deadline_s},
    )


def _read(response: httpx.Response) -> Any:
    status = response.status_code
    if status == HTTPStatus.NOT_FOUND:
        raise _which_404(_capped(response))
    if not response.is_success:
        raise _failure(status)
    if status in {HTTPStatus.ACCEPTED, HTTPStatus.NO_CONTENT}:  # they promise no body
        return None
    try:
        return json.loads(_capped(response))
    except (ValueError, RecursionError):
        raise errors.NotJson(status) from None


def _capped(response: httpx.Response) -> bytes:
    try:
        return read_capped(response, MAX_BODY)
    except TooLong:
        raise errors.AnswerTooLong(response.status_code) from None


def _failure(status: int) -> errors.HonchoUnavailable:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return errors.ServerFailed(status)
    return _BY_STATUS.get(status, errors.Unexpected)(status)


def _which_404(body: bytes) -> errors.HonchoUnavailable:
    """Only the text tells the two apart: a missing workspace, and a server without the route."""
    try:
        detail = json.loads(body)["detail"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return errors.NoSuchRoute(HTTPStatus.NOT_FOUND)
    text = detail if isinstance(detail, str) else ""
    if text.startswith("Workspace ") and text.endswith(" not found"):
        return errors.NoSuchWorkspace(HTTPStatus.NOT_FOUND)
    kind = errors.NoSuchRoute if text == "Not Found" else errors.NotFound
    return kind(HTTPStatus.NOT_FOUND)


def _broken(error: Exception) -> errors.HonchoUnavailable:
    """Name what a transport error is, from its type and its causes; its text may hold anything."""
    if isinstance(error, httpx.ConnectError | httpx.UnsupportedProtocol | httpx.InvalidURL):
        return (
            errors.NotTrusted() if _has_cause(error, ssl.SSLCertVerificationError) else errors.Unreachable()
        )
    if isinstance(error, httpx.RemoteProtocolError) and not _ended_early(error):
        return errors.NotHttp()
    return errors.Reset()


def _ended_early(error: httpx.RemoteProtocolError) -> bool:
    return str(error).startswith(("Server disconnected", "peer closed connection"))


def _has_cause(error: BaseException, kind: type[BaseException]) -> bool:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, kind):
            return True
        cause = cause.__cause__ or cause.__context__  # the pool drops the first of them
    return False
