"""One request to Honcho and its JSON, or one of the reasons in ``bxio.honcho.errors``.

Each exchange has a connection of its own: a pooled one is reset behind every failure of the real server.
So nothing is ever sent twice from here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx

from bxio.deadline_http import Cut, TooLong
from bxio.honcho import errors, failures
from bxio.honcho.body import NotPlain, body_of
from bxio.honcho.server import HonchoServer

MAX_BODY = 1024 * 1024
"""Bytes read of an answer, unless the request says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to ask for: workspace, method, path, JSON body (None for none), query; bytes of the answer."""

    workspace: str
    method: str
    path: str
    body: Any = None
    params: Mapping[str, str] | None = None
    most_bytes: int = MAX_BODY


def exchange(server: HonchoServer, request: Request, deadline_s: float, cut: Cut) -> Any:
    """Send one request and return its JSON, None for a 202 or 204; raises ``HonchoUnavailable``.

    ``deadline_s`` is absolute, on the monotonic clock, for the whole exchange.
    """
    limit_ms, began = max(0, round((deadline_s - time.monotonic()) * 1000)), False
    try:
        with (
            server.client(request.workspace, deadline_s, cut) as client,
            _open(client, request, deadline_s) as response,
        ):
            began = True
            return _read(response, request.most_bytes)
    except (httpx.TransportError, httpx.InvalidURL) as error:
        if cut.was_cut:
            raise errors.WasCut from None
        if isinstance(error, httpx.TimeoutException) and began:
            raise errors.Unended(detail=f"an answer that did not end in {limit_ms} ms") from None
        if isinstance(error, httpx.TimeoutException):
            raise errors.Late(detail=f"no answer in {limit_ms} ms") from None
        raise failures.of_transport(error) from None


def _open(client: httpx.Client, request: Request, deadline_s: float) -> Any:
    return client.stream(
        request.method,
        request.path,
        json=request.body,
        params=request.params,
        extensions={"deadline_s": deadline_s},
    )


def _read(response: httpx.Response, most_bytes: int) -> Any:
    status = response.status_code
    if status == HTTPStatus.NOT_FOUND:
        raise failures.of_404(_body(response, most_bytes))
    if not response.is_success:
        raise failures.of_answer(response)
    if status in {HTTPStatus.ACCEPTED, HTTPStatus.NO_CONTENT}:  # they promise no body
        return None
    try:
        return json.loads(_body(response, most_bytes))
    except (ValueError, RecursionError):
        raise errors.NotJson(status) from None


def _body(response: httpx.Response, most_bytes: int) -> bytes:
    try:
        return body_of(response, most_bytes)
    except TooLong:
        raise errors.AnswerTooLong(response.status_code) from None
    except NotPlain:
        raise errors.NotJson(response.status_code) from None
