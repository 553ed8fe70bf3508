from __future__ import annotations

from bxcore.http import HttpRequest, json_response


def test_json_is_compact_ascii_with_its_type() -> None:
    answer = json_response(201, {"name": "Zoë", "n": [1, None]})
    assert answer.body == b'{"name":"Zo\\u00eb","n":[1,null]}'
    assert (answer.status, answer.headers["content-type"]) == (201, "application/json")
    assert not answer.close


def test_a_lone_surrogate_can_still_be_answered() -> None:
    assert json_response(200, "\ud800").body == b'"\\ud800"'


def test_a_request_has_no_deadline_of_its_own() -> None:
    assert HttpRequest(method="GET", path="/").deadline_s is None
