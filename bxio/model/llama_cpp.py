"""What llama.cpp's server offers beside the chat: its tokenizer and its properties (spec 3.4)."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

import httpx

from bxcore.messages.model import Endpoint
from bxio.deadline_http import Cut, TooLong, read_capped
from bxio.model.exchange import open_client

WAIT_S = 5.0
"""For each of these small questions."""

_MAX_BYTES = 16 << 20


def count_tokens(endpoint: Endpoint, text: str, *, cut: Cut | None = None) -> int | None:
    """Tokens of ``text``, or None when the server has no ``/tokenize`` or does not answer."""
    answer = _ask(endpoint, "POST", "tokenize", cut=cut, body={"content": text})
    tokens = answer.get("tokens")
    return len(tokens) if isinstance(tokens, list) else None


def context_tokens(endpoint: Endpoint, *, cut: Cut | None = None) -> int | None:
    """The context that one slot has, or None when the server has no ``/props``."""
    settings = _ask(endpoint, "GET", "props", cut=cut).get("default_generation_settings")
    size = settings.get("n_ctx") if isinstance(settings, dict) else None
    return size if isinstance(size, int) and size > 0 else None


def _ask(
    endpoint: Endpoint, method: str, path: str, *, cut: Cut | None, body: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """The answer's JSON object, or an empty one; these questions are never worth a failure."""
    url = endpoint.url.removesuffix("/").removesuffix("/v1") + f"/{path}"
    try:
        with (
            open_client(endpoint, time.monotonic() + WAIT_S, cut or Cut()) as client,
            client.stream(method, url, json=body) as response,
        ):
            value = json.loads(read_capped(response, _MAX_BYTES))
            good = response.status_code == httpx.codes.OK and isinstance(value, dict)
            return value if good else {}
    except (httpx.HTTPError, httpx.InvalidURL, TooLong, ValueError, RecursionError):
        return {}
