"""An embedded server of the test's own, and ways to speak to it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from bxcore.http import HttpRequest, HttpResponse
from bxio.embedded_honcho import EmbeddedHoncho

Speak: TypeAlias = Callable[..., tuple[int, Any]]


@pytest.fixture
def honcho(tmp_path: Path) -> Iterator[EmbeddedHoncho]:
    made = EmbeddedHoncho(tmp_path / "honcho.sqlite", agent="boxmaker")
    yield made
    made.close()


@pytest.fixture
def speak(honcho: EmbeddedHoncho) -> Speak:
    """Send a request; the answer is its status and JSON."""
    return speaker(honcho)


def speaker(honcho: EmbeddedHoncho, **headers: str) -> Speak:
    def speak(method: str, path: str, body: Any = None, query: str = "") -> tuple[int, Any]:
        answer = send(honcho, method, path, body, query=query, headers=headers)
        return answer.status, json.loads(answer.body) if answer.body else None

    return speak


def send(honcho: EmbeddedHoncho, method: str, path: str, body: Any = None, **more: Any) -> HttpResponse:
    """``more`` is ``query`` and ``headers``; a body that is no bytes is sent as JSON."""
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    return honcho.handle(
        HttpRequest(
            method=method,
            path=path,
            query=more.get("query", ""),
            headers={"content-type": "application/json", **more.get("headers", {})},
            body=data,
            deadline_s=time.monotonic() + 20,
        )
    )
