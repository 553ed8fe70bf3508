"""The first question to a model server, which models it has: so the box knows that it is there (3.4)."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from bxcore.messages.model import Endpoint
from bxio.deadline_http import Cut, TooLong, read_capped
from bxio.model import errors
from bxio.model.exchange import Exchange

WAIT_S = 5.0
"""For the answer; a server that is there has it at hand."""
_MAX_BYTES = 16 << 20
_TELLING = frozenset({401, 403, 500, 502, 503, 504})
"""Statuses that say how the server is; with any other it only does not know the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The model to ask for by name, and its context in tokens, as far as the server says."""

    name: str | None = None
    context_tokens: int | None = None


def listed(endpoint: Endpoint, *, cut: Cut) -> Listed:
    """The model that is configured, else the first of ``/v1/models``.

    Raises ``Retriable`` and ``ModelUnavailable`` when the server is not there, refuses the key or is ill; one
    that does not know the question is well.
    """
    by_s = time.monotonic() + WAIT_S
    exchange = Exchange(endpoint=endpoint, first_by_s=by_s, deadline_s=by_s, cut=cut)
    try:
        with exchange.client() as client, client.stream("GET", "/models") as response:
            if response.status_code in _TELLING:
                raise exchange.refused(response)
            return _read(endpoint, _json(response))
    except (httpx.ReadTimeout, httpx.WriteTimeout):
        raise errors.silent(endpoint, WAIT_S) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise exchange.problem(error) from None


def _json(response: httpx.Response) -> object:
    try:
        return json.loads(read_capped(response, _MAX_BYTES))
    except (TooLong, ValueError, RecursionError):
        return None


def _read(endpoint: Endpoint, answer: object) -> Listed:
    data = answer.get("data") if isinstance(answer, dict) else None
    models = [each for each in data if isinstance(each, dict)] if isinstance(data, list) else []
    wanted = [each for each in models if each.get("id") == endpoint.name] if endpoint.name else models
    chosen: Mapping[str, Any] = wanted[0] if wanted else {}
    name, size = chosen.get("id"), chosen.get("max_model_len")
    known = isinstance(size, int) and not isinstance(size, bool) and size > 0
    return Listed(
        name=name if isinstance(name, str) and name else None, context_tokens=size if known else None
    )
