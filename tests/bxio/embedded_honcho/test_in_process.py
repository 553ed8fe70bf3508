from __future__ import annotations

import httpx
import pytest

from bxcore.http import HttpRequest, HttpResponse
from bxio.embedded_honcho.in_process import InProcessTransport


def test_a_request_arrives_as_it_was_sent() -> None:
    seen: list[HttpRequest] = []

    def handle(request: HttpRequest) -> HttpResponse:
        seen.append(request)
        return HttpResponse(status=201, body=b"made", headers={"x-kind": "test"})

    with httpx.Client(base_url="http://embedded", transport=InProcessTransport(handle)) as client:
        answer = client.post(
            "/a b",
            params={"page": "2"},
            json={"x": 1},
            headers={"X-Token": "t"},
            extensions={"deadline_s": 7.0},
        )
    assert (answer.status_code, answer.text, answer.headers["x-kind"]) == (201, "made", "test")
    [request] = seen
    assert (request.method, request.path, request.query) == ("POST", "/a b", "page=2")
    assert (request.headers["x-token"], request.body, request.deadline_s) == ("t", b'{"x":1}', 7.0)


def test_a_deadline_that_passed_is_a_read_timeout() -> None:
    def handle(_: HttpRequest) -> HttpResponse:
        raise TimeoutError("busy")

    with (
        httpx.Client(base_url="http://embedded", transport=InProcessTransport(handle)) as client,
        pytest.raises(httpx.ReadTimeout),
    ):
        client.get("/")
