"""A server on a loopback port whose every connection is handled by a function, well or badly.

A connection has a thread of its own; all end with the server, or as soon as the client goes away.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable
from typing import Self, TypeAlias

BEAT_S = 0.02
"""How often a handler that waits looks whether the client has gone or the server closes."""


class Gone(Exception):  # noqa: N818 - no error, an end
    """The client has gone, or the server closes."""


class Connection:
    """What a handler gets: the socket, and waits that end when the client goes or the server closes."""

    def __init__(self, sock: socket.socket, closing: threading.Event, requests: list[bytes]) -> None:
        self.sock = sock
        self._requests = requests
        self._closing = closing
        sock.settimeout(BEAT_S)

    def read_request(self) -> bytes:
        """Read one HTTP request, head and body by its content length."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.receive()
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(
            (
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            ),
            0,
        )
        while len(body) < length:
            body += self.receive()
        request = head + b"\r\n\r\n" + body
        self._requests.append(request)
        return request

    def receive(self) -> bytes:
        """Wait for some bytes."""
        while not self._closing.is_set():
            try:
                data = self.sock.recv(65536)
            except TimeoutError:
                continue
            except OSError as error:
                raise Gone from error
            if not data:
                break
            return data
        raise Gone

    def send(self, data: bytes) -> None:
        """Send all of it."""
        while data:
            if self._closing.is_set():
                raise Gone
            try:
                data = data[self.sock.send(data) :]
            except TimeoutError:
                continue
            except OSError as error:
                raise Gone from error

    def wait(self, seconds: float) -> None:
        """Do nothing for so long; ends early when the client goes or the server closes."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.sock.settimeout(min(left, BEAT_S))
            try:
                if not self.sock.recv(65536):
                    raise Gone
            except TimeoutError:
                pass
            except OSError as error:
                raise Gone from error
            if self._closing.is_set():
                raise Gone
        self.sock.settimeout(BEAT_S)


Handler: TypeAlias = Callable[[Connection], None]


class LoopbackServer:
    """Listens from its making until ``close``; use it in a ``with``. ``tls`` wraps every connection.

    ``host`` is the loopback address to listen at.
    """

    def __init__(
        self,
        handler: Handler,
        *,
        tls: ssl.SSLContext | None = None,
        backlog: int = 256,
        host: str = "127.0.0.1",
    ) -> None:
        self._handler = handler
        self._tls = tls
        self._closing = threading.Event()
        self._idle = threading.Condition()
        self._threads: set[threading.Thread] = set()
        self._host = f"[{host}]" if ":" in host else host
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family, backlog=backlog)
        self.accepted = 0
        self.requests: list[bytes] = []
        """Every request read so far, head and body."""
        self._accepting = threading.Thread(target=self._accept, name="double/accept")
        self._accepting.start()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://{self._host}:{self.port}"

    def wait_idle(self, within_s: float = 10.0) -> bool:
        """Wait until every connection's thread has ended; whether it came to that."""
        with self._idle:
            return self._idle.wait_for(lambda: not self._threads, timeout=within_s)

    def close(self) -> None:
        self._closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._accepting.join(timeout=10)
        assert self.wait_idle(), "a double's connection did not end"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(sock,), name="double/connection")
            with self._idle:
                self.accepted += 1
                self._threads.add(thread)
            thread.start()

    def _serve(self, sock: socket.socket) -> None:
        try:
            self._handle(sock)
        finally:
            with self._idle:
                self._threads.discard(threading.current_thread())
                self._idle.notify_all()

    def _handle(self, sock: socket.socket) -> None:
        with contextlib.suppress(Gone, OSError), contextlib.ExitStack() as open_sockets:
            open_sockets.enter_context(sock)
            if self._tls is not None:
                sock.settimeout(10)
                sock = open_sockets.enter_context(self._tls.wrap_socket(sock, server_side=True))
            self._handler(Connection(sock, self._closing, self.requests))
