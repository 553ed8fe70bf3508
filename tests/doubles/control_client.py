"""A client of the control socket that sees the wire: statuses, bodies, lines."""

from __future__ import annotations

import http.client
import json
from typing import Any

from bxcore.control import Request, encode
from bxcore.control import requests as r
from tests.doubles.control_box import ControlBox, connected


def raw(box: ControlBox, data: bytes) -> tuple[int, bytes]:
    """Send bytes, read until the server closes: the status and the body as it stands on the wire."""
    with connected(box) as client:
        client.sendall(data)
        response = http.client.HTTPResponse(client)
        response.begin()
        return response.status, response.read()


def sent(request: Request) -> bytes:
    encoded = encode(request)
    body = encoded.body or b""
    head = f"{encoded.method} {encoded.target} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def ask(box: ControlBox, request: Request) -> tuple[int, Any]:
    status, body = raw(box, sent(request))
    return status, json.loads(body)


def no(box: ControlBox, request: Request) -> tuple[int, str, str]:
    status, answer = ask(box, request)
    return status, answer["error"], answer["sentence"]


def chat(box: ControlBox, request: r.ChatRequest) -> list[Any]:
    status, body = raw(box, sent(request))
    assert status == 200
    return [json.loads(line) for line in body.splitlines()]
