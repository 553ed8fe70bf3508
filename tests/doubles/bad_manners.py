"""How an HTTP server can misbehave: a handler each for ``LoopbackServer``."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from tests.doubles.loopback import Connection, Handler

FOREVER_S = 60.0
DRIP_S = 0.02


def silent(connection: Connection) -> None:
    """Reads the request and never says a word."""
    connection.read_request()
    connection.wait(FOREVER_S)


def never_shakes_hands(connection: Connection) -> None:
    """Reads nothing and says nothing: to a TLS client a handshake without end."""
    connection.wait(FOREVER_S)


def drips_a_handshake(connection: Connection) -> None:
    """Begins a TLS record and sends it a byte at a time."""
    connection.receive()
    _drip(connection, b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc" + bytes(16000))


def drips_headers(connection: Connection) -> None:
    """Sends headers a byte at a time, without end."""
    connection.read_request()
    _drip(connection, b"HTTP/1.1 200 OK\r\nX-Slow: " + b"a" * 50_000)


def drips_a_body(connection: Connection) -> None:
    """Sends proper headers, then the body a byte at a time, without end."""
    connection.read_request()
    connection.send(_head(200, 1_000_000))
    _drip(connection, b'{"content": "' + b"a" * 50_000)


def half_open(connection: Connection) -> None:
    """Sends half an answer and then nothing, the connection still standing."""
    connection.read_request()
    connection.send(_head(200, 100) + b'{"content"')
    connection.wait(FOREVER_S)


def resets(connection: Connection) -> None:
    """Reads the request and resets the connection."""
    connection.read_request()
    _reset(connection)


def resets_in_the_body(connection: Connection) -> None:
    """Sends half an answer and resets the connection."""
    connection.read_request()
    connection.send(_head(200, 100) + b'{"content"')
    _reset(connection)


def hangs_up(connection: Connection) -> None:
    """Reads the request and ends the connection without an answer."""
    connection.read_request()


def hangs_up_in_the_body(connection: Connection) -> None:
    """Ends the connection in the middle of the answer."""
    connection.read_request()
    connection.send(_head(200, 100) + b'{"content"')


def speaks_no_http(connection: Connection) -> None:
    """Answers in another protocol."""
    connection.read_request()
    connection.send(b"220 mail.example ESMTP ready\r\n\r\n")


def speaks_at_once(connection: Connection) -> None:
    """Answers whatever comes with plain HTTP, as a server does that was sent a TLS handshake."""
    connection.receive()
    connection.send(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")


def answers(
    status: int,
    body: bytes | object,
    *,
    content_type: str = "application/json",
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Handler:
    """Answer every request the same; a body that is no bytes is sent as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def handle(connection: Connection) -> None:
        while True:
            connection.read_request()
            connection.send(_head(status, len(data), content_type, headers) + data)

    return handle


def in_turn(handlers: Iterable[Handler]) -> Handler:
    """The first connection is handled by the first handler, and so on."""
    coming = iter(list(handlers))

    def handle(connection: Connection) -> None:
        next(coming)(connection)

    return handle


def _head(
    status: int,
    length: int,
    content_type: str = "application/json",
    headers: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    lines = {"content-type": content_type, "content-length": str(length), **headers}
    return (
        f"HTTP/1.1 {status} Said\r\n"
        + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        + "\r\n"
    ).encode()


def _drip(connection: Connection, data: bytes) -> None:
    for byte in data:
        connection.send(bytes([byte]))
        connection.wait(DRIP_S)


def _reset(connection: Connection) -> None:
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.sock.close()
