from __future__ import annotations

import pytest

from bxcore.http import HttpRequest
from bxcore.openai_api.gate import Gate

TOKEN = "t" * 32
GATE = Gate(port=8642, token=TOKEN)
GOOD = {"host": "127.0.0.1:8642", "authorization": f"Bearer {TOKEN}"}


def status(method: str = "GET", path: str = "/v1/models", gate: Gate = GATE, **headers: str | None) -> int:
    given = {**GOOD, **headers}
    kept = {name: value for name, value in given.items() if value is not None}
    no = gate.refused(HttpRequest(method=method, path=path, headers=kept))
    return 200 if no is None else no.status


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost:8642", "LocalHost:8642", "[::1]:8642"])
def test_our_own_addresses_are_let_in(host: str) -> None:
    assert status(host=host) == 200


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:86420",
        "evil.example:8642",
        "127.0.0.1.evil.example:8642",
        "127.evil.example:8642",
        "localhost.:8642",
        "127.0.0.1:8642@evil.example",
        "0.0.0.0:8642",
    ],
)
def test_a_name_that_somebody_pointed_here_is_not(host: str | None) -> None:
    assert status(host=host) == 403


def test_only_the_port_of_http_may_be_left_out() -> None:
    assert status(gate=Gate(port=80, token=TOKEN), host="localhost") == 200
    assert status(gate=Gate(port=80, token=TOKEN), host="evil.example") == 403


def test_a_page_of_another_address_is_refused() -> None:
    assert status(origin="http://evil.example") == 403
    assert status(origin="null") == 403
    assert status(origin="https://localhost:8642") == 403
    assert status(origin="http://localhost:8642") == 200


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        TOKEN,
        f"Basic {TOKEN}",
        f"Digest {TOKEN}",
        "Bearer",
        "Bearer ",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[1:]}",
        "Bearer \xff",
    ],
)
def test_without_the_token_nothing_is_said(authorization: str | None) -> None:
    assert status(authorization=authorization) == 401
    assert status(path="/v1/status", authorization=authorization) == 401


def test_the_word_bearer_is_read_in_any_case() -> None:
    assert status(authorization=f"bearer  {TOKEN} ") == 200


@pytest.mark.parametrize(
    "path", ["/v1/status", "/v1/chat", "/v1/models/", "/", "/v1/models/boxmaker", "//v1/models"]
)
def test_no_other_path_is_reached(path: str) -> None:
    assert status(path=path) == 404
    assert status("POST", path) == 404


def test_each_path_has_its_method() -> None:
    assert status("POST", "/v1/models") == 405
    assert status("GET", "/v1/chat/completions") == 405
    assert status("OPTIONS", "/v1/chat/completions") == 405
    assert status("HEAD", "/v1/models") == 405
    assert status("POST", "/v1/chat/completions") == 200


def test_the_token_is_in_no_text_of_ours() -> None:
    assert TOKEN not in repr(GATE)
