"""HTTP requests and responses as values, for code that answers HTTP without a socket."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request, its body whole.

    ``path`` is decoded and without the query, ``query`` the raw text behind the ``?``, header names are
    lower case. ``deadline_s`` is when its sender gives up (absolute, monotonic), or None when unknown.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=lambda: _NONE)
    body: bytes = b""
    deadline_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """One answer, its body whole. ``close``: the connection ends behind it without a word in the headers."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: _NONE)
    close: bool = False


def json_response(status: int, value: Any) -> HttpResponse:
    """Answer with ``value`` as compact JSON in ASCII."""
    body = json.dumps(value, separators=(",", ":")).encode("ascii")
    return HttpResponse(status=status, body=body, headers={"content-type": "application/json"})
