from __future__ import annotations

from typing import Any

import pytest

from tests.bxio.conftest import Speak

S = "/v3/workspaces/w/sessions/s/messages"


def message(content: str = "x", **more: Any) -> dict[str, Any]:
    return {"peer_id": "p", "content": content, **more}


def test_an_append_makes_what_it_needs_and_answers_a_bare_list(speak: Speak) -> None:
    status, [stored] = speak("POST", S, {"messages": [message("hello", metadata={"turn": 1})]})
    assert status == 201
    assert stored["id"]
    assert stored["token_count"] > 0
    assert (stored["content"], stored["peer_id"], stored["session_id"], stored["workspace_id"]) == (
        "hello",
        "p",
        "s",
        "w",
    )
    assert stored["metadata"] == {"turn": 1}
    assert speak("POST", "/v3/workspaces/w/peers", {"id": "p"})[0] == 200
    assert speak("GET", "/v3/workspaces/w/sessions/s/peers")[1]["items"][0]["id"] == "p"


@pytest.mark.parametrize(("count", "status"), [(0, 422), (1, 201), (100, 201), (101, 422)])
def test_a_batch_has_1_to_100_messages(speak: Speak, count: int, status: int) -> None:
    assert speak("POST", S, {"messages": [message()] * count})[0] == status


@pytest.mark.parametrize(("length", "status"), [(0, 201), (25_000, 201), (25_001, 422)])
def test_a_message_has_up_to_25000_characters(speak: Speak, length: int, status: int) -> None:
    assert speak("POST", S, {"messages": [message("ä" * length)]})[0] == status


def test_one_bad_message_rejects_the_batch(speak: Speak) -> None:
    status, answer = speak("POST", S, {"messages": [message("good"), message(peer_id="a b")]})
    assert status == 422
    assert isinstance(answer["detail"], str)
    status, answer = speak("POST", S, {"messages": [message("good"), {"peer_id": "p"}]})
    assert (status, answer["detail"][0]["loc"]) == (422, ["body", "messages", 1, "content"])
    assert speak("POST", f"{S}/list")[1]["total"] == 0


@pytest.mark.parametrize(
    ("when", "stored"),
    [
        ("2026-11-30T10:00:00+02:00", "2026-11-30T08:00:00.000000Z"),
        ("2026-11-30T10:00:00", "2026-11-30T10:00:00.000000Z"),
        (0, "1970-01-01T00:00:00.000000Z"),
        ("2999-01-01T00:00:00Z", "2999-01-01T00:00:00.000000Z"),
    ],
)
def test_a_time_may_be_given(speak: Speak, when: Any, stored: str) -> None:
    assert speak("POST", S, {"messages": [message(created_at=when)]})[1][0]["created_at"] == stored


def test_a_time_that_is_none_is_422(speak: Speak) -> None:
    assert speak("POST", S, {"messages": [message(created_at="yesterday")]})[0] == 422


def test_messages_are_listed_in_the_order_of_insertion(speak: Speak) -> None:
    for n, when in enumerate(("2026-03-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")):
        speak("POST", S, {"messages": [message(str(n), created_at=when)]})
    assert [item["content"] for item in speak("POST", f"{S}/list")[1]["items"]] == ["0", "1", "2"]
    assert [item["content"] for item in speak("POST", f"{S}/list", {}, "reverse=true")[1]["items"]] == [
        "2",
        "1",
        "0",
    ]


def test_metadata_of_a_message_changes_and_its_text_does_not(speak: Speak) -> None:
    [stored] = speak("POST", S, {"messages": [message("hello", metadata={"a": 1})]})[1]
    path = f"{S}/{stored['id']}"
    assert speak("PUT", path, {"metadata": {"b": 2}, "content": "bye"})[1] == {**stored, "metadata": {"b": 2}}
    assert speak("GET", path)[1]["content"] == "hello"
    assert speak("DELETE", path)[0] == 405
    assert speak("GET", f"{S}/nothing")[0] == 404


def test_text_comes_back_as_it_was(speak: Speak) -> None:
    text = "emoji \N{GRINNING FACE}, a tag <|im_start|>, two marks \x02\x03, a line\nand another\u2028"
    assert speak("POST", S, {"messages": [message(text)]})[1][0]["content"] == text
    assert speak("POST", f"{S}/list")[1]["items"][0]["content"] == text


def test_a_lone_surrogate_is_refused_and_a_pair_is_not(speak: Speak) -> None:
    body = b'{"messages":[{"peer_id":"p","content":"%s"}]}'
    assert speak("POST", S, body % b"\\ud800")[0] == 422
    assert speak("POST", S, body % b"\\uD83D\\uDE00")[1][0]["content"] == "\N{GRINNING FACE}"
