"""Sockets for httpcore whose every step ends at one absolute deadline.

An HTTP client's own time-outs are per step: a server that drips a byte now and then is read for ever. Here
each connect, handshake, read and write gets what is left of one deadline, and past it there is nothing left.
This is httpcore's public network backend; the sockets are also held by a ``Cut``.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterable
from typing import Any, TypeVar

import httpcore

from bxio.cut import Cut

_Problem = TypeVar("_Problem", bound=Exception)


class DeadlineBackend(httpcore.NetworkBackend):
    """Opens the connections of one exchange; ``deadline_s`` is absolute, on the monotonic clock.

    A connection has ``connect_s`` of that at most, when given, before its TLS handshake.
    """

    def __init__(self, deadline_s: float, cut: Cut, connect_s: float | None = None) -> None:
        self._deadline_s = deadline_s
        self._connect_s = connect_s
        self._cut = cut

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of ``host`` that answers, all of them within the one deadline."""
        del timeout, local_address, socket_options
        problem: Exception = httpcore.ConnectError("the name has no address")
        for family, kind, protocol, _, address in _addresses(host, port):
            try:
                return self._connect(socket.socket(family, kind, protocol), address)
            except httpcore.ConnectError as error:
                problem = error
        raise problem

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        """Connect to the unix socket at ``path``."""
        del timeout, socket_options
        return self._connect(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), path)

    def _connect(self, sock: socket.socket, address: Any) -> httpcore.NetworkStream:
        by_s = self._deadline_s
        if self._connect_s is not None:
            by_s = min(by_s, time.monotonic() + self._connect_s)
        stream = _DeadlineStream(sock, deadline_s=by_s, cut=self._cut, ticket=self._cut.hold(sock))
        try:
            stream.connect(address)
        except BaseException:
            stream.close()
            raise
        stream.extend(self._deadline_s)
        return stream


class _DeadlineStream(httpcore.NetworkStream):
    def __init__(self, sock: socket.socket, *, deadline_s: float, cut: Cut, ticket: int) -> None:
        self._sock = sock
        self._deadline_s = deadline_s
        self._cut = cut
        self._ticket = ticket

    def connect(self, address: Any) -> None:
        if self._cut.was_cut:  # a socket shut down before its connect could still wait for the peer
            raise httpcore.ConnectError("the exchange was cut off")
        try:
            self._grant_what_is_left()
            self._sock.connect(address)
            if self._sock.family != socket.AF_UNIX:
                self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            raise _as(error, httpcore.ConnectTimeout, httpcore.ConnectError) from error

    def extend(self, deadline_s: float) -> None:
        """Grant the rest until ``deadline_s``; a response has this as ``extensions["network_stream"]``."""
        self._deadline_s = deadline_s

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        del timeout
        try:
            self._grant_what_is_left()
            return self._sock.recv(max_bytes)
        except OSError as error:
            raise _as(error, httpcore.ReadTimeout, httpcore.ReadError) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        del timeout
        try:
            while buffer:
                self._grant_what_is_left()
                buffer = buffer[self._sock.send(buffer) :]
        except OSError as error:
            raise _as(error, httpcore.WriteTimeout, httpcore.WriteError) from error

    def close(self) -> None:
        self._sock.close()
        self._cut.release(self._ticket)

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        del timeout
        try:
            self._grant_what_is_left()
            self._sock = ssl_context.wrap_socket(self._sock, server_hostname=server_hostname)
        except OSError as error:
            self.close()
            raise _as(error, httpcore.ConnectTimeout, httpcore.ConnectError) from error
        return self

    def get_extra_info(self, info: str) -> Any:
        """Nothing: httpcore asks only about ALPN, and only HTTP/1.1 is spoken."""

    def _grant_what_is_left(self) -> None:
        left_s = self._deadline_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("the deadline has passed")
        self._sock.settimeout(left_s)


def _addresses(host: str, port: int) -> list[Any]:
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError("the name has no address") from error


def _as(error: OSError, late: type[_Problem], failed: type[_Problem]) -> _Problem:
    return late(_reason(error)) if isinstance(error, TimeoutError) else failed(_reason(error))


def _reason(error: OSError) -> str:
    """Why, in plain lower-case words: a person reads them, and no number helps."""
    if isinstance(error, ssl.SSLCertVerificationError):
        said = error.verify_message
    elif isinstance(error, ssl.SSLError):
        said = (error.reason or "TLS failed").replace("_", " ")
    else:
        said = error.strerror or str(error) or type(error).__name__
    return said.rstrip(".").lower()
