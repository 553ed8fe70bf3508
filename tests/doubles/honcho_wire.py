"""The wire to an embedded Honcho, which a test can cut, or rob of its answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from bxio.embedded_honcho import EmbeddedHoncho, Faults
from bxio.honcho import HonchoClient, HonchoServer, StoredMessage

FAR_S = 1e9
"""A deadline that no test reaches."""


class HonchoWire:
    """A real embedded server behind a transport. ``fate`` decides what becomes of each request to it.

    ``"ok"``, ``"down"`` (no connection), ``"lost"`` (the server did it and the answer never came).
    """

    def __init__(self, folder: Path, *, poison: bool = False) -> None:
        self.honcho = EmbeddedHoncho(folder / "honcho.sqlite", agent="boxmaker", faults=Faults(poison=poison))
        self.fate: Callable[[httpx.Request], str] = lambda _: "ok"
        self.requests: list[tuple[str, Any]] = []
        """The last part of each path, and the body."""

    @property
    def client(self) -> HonchoClient:
        return HonchoClient(HonchoServer(transport=lambda: _Wire(self)))

    def messages(self, session: str, workspace: str = "boxmaker") -> list[StoredMessage]:
        """What the server holds of a session, asked past the wire."""
        direct = HonchoClient(HonchoServer(transport=self.honcho.transport))
        return direct.find(workspace, session, {}, FAR_S)

    def said(self, session: str, workspace: str = "boxmaker") -> list[tuple[str, str]]:
        return [(message.peer_id, message.content) for message in self.messages(session, workspace)]

    def appends(self) -> int:
        return sum(path == "messages" for path, _ in self.requests)


class _Wire(httpx.BaseTransport):
    def __init__(self, wire: HonchoWire) -> None:
        self._wire = wire
        self._inner = wire.honcho.transport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        fate = self._wire.fate(request)
        if request.method == "POST":
            self._wire.requests.append((request.url.path.rsplit("/", 1)[-1], json.loads(request.read())))
        if fate == "down":
            raise httpx.ConnectError("refused")
        if fate.isdecimal():
            return httpx.Response(int(fate), json={"detail": "An unexpected error occurred"})
        response = self._inner.handle_request(request)
        if fate == "lost":
            raise httpx.ReadError("reset")
        return response
