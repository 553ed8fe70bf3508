from __future__ import annotations

import json

import pytest

from bxcore.control import ErrorCode
from bxcore.openai_api.errors import ApiError, failed_turn, invalid, of_code


def test_the_shape_is_openais() -> None:
    body = json.loads(invalid("no", "n", "x").response().body)
    assert body == {"error": {"message": "no", "type": "invalid_request_error", "param": "n", "code": "x"}}


@pytest.mark.parametrize("code", list(ErrorCode))
def test_only_a_busy_box_has_its_clients_try_again(code: ErrorCode) -> None:
    no = of_code(code, "a sentence")
    assert no.message == "a sentence"
    assert no.again is (code is ErrorCode.BUSY)
    assert no.status == (429 if code is ErrorCode.BUSY else code.status)
    assert (no.kind == "server_error") == (no.status >= 500)
    headers = no.response().headers
    assert headers["x-should-retry"] == ("true" if no.again else "false")
    assert ("retry-after" in headers) is no.again


def test_a_turn_that_failed_is_not_said_again() -> None:
    no = failed_turn("the model is down")
    assert (no.status, no.response().headers["x-should-retry"]) == (500, "false")


def test_a_wrong_token_is_told_the_scheme() -> None:
    assert ApiError(status=401, message="no").response().headers["www-authenticate"] == "Bearer"
