"""Whoever else comes over TCP: wrong paths, wrong names, and requests made to hurt."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator

import pytest

from actors.base import Runtime
from actors.connection import Limits
from tests.doubles.api_client import TOKEN, Client, tcp
from tests.doubles.control_box import (
    MakeBox,
    control_boxes,
)


@pytest.fixture
def make(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    yield from control_boxes(runtime, monkeypatch)


@pytest.mark.parametrize("path", ["/v1/chat", "/v1/status", "/v1/stop", "/v1/approval-answer", "/"])
def test_nothing_of_the_control_socket_is_reached_over_tcp(make: MakeBox, path: str) -> None:
    box = make(token=TOKEN)
    status, answer = Client(box, path=path, text="hi").answer()
    assert (status, answer["error"]["code"]) == (404, "unknown_url")
    assert box.seen == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": "Bearer " + "x" * 32}, 401),
        ({"host": "evil.example"}, 403),
        ({"origin": "http://evil.example"}, 403),
    ],
)
def test_nobody_else_is_let_in_from_tcp(make: MakeBox, headers: dict[str, str], status: int) -> None:
    box = make(token=TOKEN)
    with (client := Client(box, headers=headers)).sock:
        response = client.begin()
        assert response.status == status
        assert "access-control-allow-origin" not in response.headers
    assert box.seen == []


def test_what_is_no_request_is_told_so_in_openais_shape(make: MakeBox) -> None:
    box = make(token=TOKEN, limits=Limits(request_s=0.2))
    for data, status in (
        (b"HELO\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", 408),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 100_000 + b"\r\n\r\n", 413),
    ):
        with tcp(box) as client:
            client.sendall(data)
            response = http.client.HTTPResponse(client)
            response.begin()
            assert response.status == status
            assert json.loads(response.read())["error"]["message"]


def test_a_second_request_behind_the_first_is_not_answered(make: MakeBox) -> None:
    box = make(token=TOKEN)
    head = f"Host: 127.0.0.1:{box.port}\r\nAuthorization: Bearer {TOKEN}\r\n"
    with tcp(box) as client:
        client.sendall(f"GET /v1/models HTTP/1.1\r\n{head}\r\n".encode() * 3)
        got = b""
        while piece := client.recv(65_536):
            got += piece
    assert got.count(b"HTTP/1.1 200") == 1
    assert b"connection: close" in got.lower()


def test_a_client_that_drips_gains_no_time_and_holds_up_nobody(make: MakeBox) -> None:
    """One deadline over the whole request, however many bytes keep coming (slow loris)."""
    box = make(token=TOKEN, limits=Limits(request_s=1.0))
    with tcp(box) as client:
        client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
        client.settimeout(0.05)
        got = b""
        for _ in range(200):
            try:
                client.sendall(b"x")
                got += client.recv(65_536)
            except TimeoutError:
                continue
            except OSError:  # it has closed
                pass
            break
        assert Client(box).answer()[0] == 200
    assert got.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 1_000_000,
        b'{"messages":' * 80_000,
        b'{"messages":[' + b'{"role":"user","content":"x"},' * 30_000 + b"3]}",
        b'{"user":"' + b"\xc3\xa4" * 500_000 + b'","messages":[{"role":"user","content":"hi"}],"n":3}',
        b'{"n":' + b"9" * 1_000_000 + b"}",
    ],
    ids=["brackets", "objects", "messages", "a-name", "a-number"],
)
def test_a_body_made_to_hurt_is_answered_like_any_other(make: MakeBox, body: bytes) -> None:
    box = make(token=TOKEN)
    head = f"Host: 127.0.0.1:{box.port}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {len(body)}"
    with tcp(box) as client:
        client.sendall(f"POST /v1/chat/completions HTTP/1.1\r\n{head}\r\n\r\n".encode() + body)
        response = http.client.HTTPResponse(client)
        response.begin()
        assert (response.status, json.loads(response.read())["error"]["type"]) == (
            400,
            "invalid_request_error",
        )
    assert box.seen == []
