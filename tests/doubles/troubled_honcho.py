"""The embedded Honcho behind a real loopback port that is slow, resets, fails or is away as a test says."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from bxcore.http import HttpRequest
from bxio.embedded_honcho import EmbeddedHoncho, Faults
from bxio.honcho import HonchoClient, HonchoServer, StoredMessage

FAR_S = 1e9
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER that makes a close a reset."""


class TroubledHoncho:
    """``fate`` decides what becomes of each request, given its method and path.

    ``ok`` · ``reset`` (nothing is done) · ``stored, reset`` (done, and the answer never comes) ·
    ``late 0.5`` (done so many seconds after it came) · a status, such as ``503``; ``429 1`` has Retry-After.
    """

    def __init__(self, folder: Path, *, poison: bool = False) -> None:
        folder.mkdir(exist_ok=True)
        self.honcho = EmbeddedHoncho(folder / "honcho.sqlite", agent="boxmaker", faults=Faults(poison=poison))
        self.fate: Callable[[str, str], str] = lambda _method, _path: "ok"
        self.requests: list[str] = []
        """Method and path of each that came."""
        self.answers: dict[str, tuple[int, object]] = {}
        """What else ``fate`` may say, and the status and JSON that it stands for."""
        self.most_bytes = 1 << 30
        """Of a request's body; a longer one is answered 413, whatever its fate is."""
        self._port = 0
        self._http: _Http | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def client(self) -> HonchoClient:
        return HonchoClient(HonchoServer(url=self.url))

    def open(self) -> Self:
        """Listen, on the port of the last time."""
        self._http = _Http(self._port, self)
        self._port = self._http.server_address[1]
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="double/troubled-honcho"
        )
        self._thread.start()
        return self

    def close(self) -> None:
        """Listen no more: a connection is refused. What it holds stays."""
        if self._http is not None and self._thread is not None:
            self._http.shutdown()
            self._http.server_close()
            self._thread.join(timeout=10)
            self._http = self._thread = None

    def end(self) -> None:
        self.close()
        self.honcho.close()

    def messages(self, session: str, workspace: str = "boxmaker") -> list[StoredMessage]:
        """What the server holds of a session, asked past the port."""
        return HonchoClient(HonchoServer(transport=self.honcho.transport)).find(workspace, session, {}, FAR_S)

    def said(self, session: str, workspace: str = "boxmaker") -> list[str]:
        """The owner's messages."""
        return [each.content for each in self.messages(session, workspace) if each.peer_id == "owner"]

    def count(self, ending: str) -> int:
        return sum(path.endswith(ending) for path in list(self.requests))


class _Http(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    allow_reuse_address = True

    def __init__(self, port: int, honcho: TroubledHoncho) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.honcho = honcho

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"
    timeout = 5

    def _serve(self) -> None:
        url = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        self.server.honcho.requests.append(f"{self.command} {url.path}")
        fate, _, more = self.server.honcho.fate(self.command, url.path).partition(" ")
        if len(body) > self.server.honcho.most_bytes:
            fate, more = "413", ""
        if fate == "reset":
            self._reset()
            return
        if fate.isdecimal():
            headers = {"retry-after": more} if more else {}
            self._answer(int(fate), headers, json.dumps({"detail": "An unexpected error occurred"}).encode())
            return
        if fate in self.server.honcho.answers:
            status, detail = self.server.honcho.answers[fate]
            self._answer(status, {}, json.dumps(detail).encode())
            return
        if fate == "late":
            threading.Event().wait(float(more))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.honcho.honcho.handle(
            HttpRequest(
                method=self.command, path=unquote(url.path), query=url.query, headers=headers, body=body
            )
        )
        if fate == "stored,":
            self._reset()
            return
        self._answer(answer.status, answer.headers, answer.body)
        self.close_connection = self.close_connection or answer.close

    do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 - the standard library names them

    def _answer(self, status: int, headers: Any, body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.close_connection = True
        self.connection.close()

    def log_message(self, *_: object) -> None:
        """Tests have their own output."""
