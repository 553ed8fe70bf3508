"""A page that counts what was sent to it: the effects of tool calls, seen from another process."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


class EffectServer:
    """Counts each path of a POST before it answers; ``seen`` is called before and after."""

    def __init__(self, seen: Callable[[str], object] = lambda _what: None) -> None:
        self.count: Counter[str] = Counter()
        self.seen = seen
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.effects = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    def note(self, path: str) -> None:
        with self._lock:
            self.count[path.removeprefix("/")] += 1

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=10)


class _Http(ThreadingHTTPServer):
    daemon_threads = False
    effects: EffectServer

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    timeout = 10

    def do_POST(self) -> None:
        effects = self.server.effects
        effects.note(self.path)
        effects.seen("effect")
        self.rfile.read(int(self.headers.get("content-length", "0")))
        body = b"taken"
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        effects.seen("effect answered")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's own name
        """Say nothing."""
