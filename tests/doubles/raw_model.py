"""A model server byte by byte: what it sends is written out, so that it can be cut anywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.doubles.loopback import Connection, Handler

FOREVER_S = 60.0


def event(**fields: Any) -> bytes:
    """One event of a stream."""
    return b"data: " + json.dumps(fields, ensure_ascii=False).encode() + b"\n\n"


def text(content: str) -> bytes:
    """An event with a piece of the reply."""
    return event(choices=[{"index": 0, "delta": {"content": content}}])


def end(reason: str = "stop") -> bytes:
    """The event that ends a reply."""
    return event(choices=[{"index": 0, "delta": {}, "finish_reason": reason}])


DONE = b"data: [DONE]\n\n"


def sends(
    *pieces: bytes | float,
    status: str = "200 OK",
    kind: str = "text/event-stream",
    headers: Mapping[str, str] | None = None,
    chunked: bool = False,
    stays: bool = False,
) -> Handler:
    """Answer each request with these bytes as they are, a number being a rest in seconds.

    The body ends with the connection, or by chunks when ``chunked``; then the end of the connection cuts it
    unless the last piece is ``b""``. ``stays`` leaves the connection open behind the last piece.
    """
    fields = {
        "content-type": kind,
        **({"transfer-encoding": "chunked"} if chunked else {}),
        **(headers or {}),
    }
    head = f"HTTP/1.1 {status}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())

    def handle(connection: Connection) -> None:
        connection.read_request()
        connection.send(head.encode() + b"\r\n")
        for piece in pieces:
            if isinstance(piece, bytes):
                connection.send(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
            else:
                connection.wait(piece)
        if stays:
            connection.wait(FOREVER_S)

    return handle
