"""The embedded Honcho server behind a real loopback port, for clients that are not ours."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import unquote, urlsplit

from bxcore.http import HttpRequest
from bxio.embedded_honcho import EmbeddedHoncho


class HonchoPort:
    """Serves until ``close``; use it in a ``with``."""

    def __init__(self, honcho: EmbeddedHoncho) -> None:
        self._http = _Http(honcho)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="double/honcho-port"
        )
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=10)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Http(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def __init__(self, honcho: EmbeddedHoncho) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.honcho = honcho

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"
    timeout = 5

    def _serve(self) -> None:
        url = urlsplit(self.path)
        answer = self.server.honcho.handle(
            HttpRequest(
                method=self.command,
                path=unquote(url.path),
                query=url.query,
                headers={name.lower(): value for name, value in self.headers.items()},
                body=self.rfile.read(int(self.headers.get("content-length", "0"))),
            )
        )
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)
        self.close_connection = self.close_connection or answer.close

    do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 - the standard library names them

    def log_message(self, *_: object) -> None:
        """Tests have their own output."""
