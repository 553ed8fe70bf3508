"""The embedded server's manners on the wire, where a client can notice them (spec 4.8)."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bxio.embedded_honcho import EmbeddedHoncho
from tests.bxio.conftest import Speak, send, speaker

W = "/v3/workspaces"


def test_the_first_make_is_201_and_the_second_200(speak: Speak) -> None:
    for path, thing in ((W, "w"), (f"{W}/w/peers", "p"), (f"{W}/w/sessions", "s")):
        assert speak("POST", path, {"id": thing})[0] == 201
        status, made = speak("POST", path, {"id": thing})
        assert (status, made["id"], made["metadata"]) == (200, thing, {})


def test_metadata_of_an_existing_workspace_is_left_and_of_others_replaced(speak: Speak) -> None:
    for path in (W, f"{W}/w/peers", f"{W}/w/sessions"):
        speak("POST", path, {"id": "w", "metadata": {"a": 1}})
    again = {"id": "w", "metadata": {"b": 2}}
    assert speak("POST", W, again)[1]["metadata"] == {"a": 1}
    assert speak("POST", f"{W}/w/peers", again)[1]["metadata"] == {"b": 2}
    assert speak("POST", f"{W}/w/sessions", again)[1]["metadata"] == {"b": 2}
    assert speak("POST", f"{W}/w/sessions", {"id": "w", "metadata": None})[1]["metadata"] == {"b": 2}


def test_of_many_makers_at_once_one_is_the_first(speak: Speak) -> None:
    with ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(lambda _: speak("POST", f"{W}/w/peers", {"id": "p"})[0], range(20)))
    assert sorted(statuses) == [200] * 19 + [201]


def test_appends_at_once_lose_nothing(speak: Speak) -> None:
    path = f"{W}/w/sessions/s/messages"

    def append(number: int) -> int:
        return speak("POST", path, {"messages": [{"peer_id": "p", "content": f"{number}"}] * 2})[0]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(append, range(40))) == [201] * 40
    items = speak("POST", f"{path}/list", {}, "size=100")[1]["items"]
    contents = [item["content"] for item in items]
    assert sorted(contents) == sorted([f"{n}" for n in range(40)] * 2)
    assert contents[::2] == contents[1::2], "a batch stays together"


@given(st.lists(st.text(max_size=60), min_size=1, max_size=3), st.text(max_size=40))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_said_is_kept_and_whatever_is_asked_is_answered(
    speak: Speak, texts: list[str], question: str
) -> None:
    path = f"{W}/w/sessions/s/messages"
    status, stored = speak("POST", path, {"messages": [{"peer_id": "p", "content": text} for text in texts]})
    assert status == 201
    assert [message["content"] for message in stored] == texts
    assert speak("POST", f"{W}/w/search", {"query": question})[0] == 200
    assert speak("POST", f"{W}/w/chat", {"query": question or "?"})[0] == 200


def test_changing_what_is_not_there_makes_it(speak: Speak) -> None:
    status, made = speak("PUT", f"{W}/w", {"metadata": {"a": 1}})
    assert (status, made["metadata"]) == (200, {"a": 1})
    assert speak("POST", W, {"id": "w"})[0] == 200


@pytest.mark.parametrize("thing", ["", "a b", "a/b", "é", "x" * 513, 5, None, ["x"]])
def test_a_bad_id_is_422_with_a_list(speak: Speak, thing: Any) -> None:
    status, answer = speak("POST", W, {"id": thing})
    assert status == 422
    [finding] = answer["detail"]
    assert finding["loc"] == ["body", "id"]
    assert finding["input"] == thing
    assert {"type", "msg"} <= finding.keys()


def test_an_id_of_512_is_taken(speak: Speak) -> None:
    assert speak("POST", W, {"id": "x" * 512})[0] == 201


@pytest.mark.parametrize(
    ("metadata", "status"),
    [
        ({f"k{n}": n for n in range(100)}, 201),
        ({f"k{n}": n for n in range(101)}, 422),
        ({"a": {"b": {"c": {"d": {"e": 5}}}}}, 201),
        ({"a": {"b": {"c": {"d": {"e": {}}}}}}, 422),
        ({"a": [[[[]]]]}, 201),
        ({"a": [[[[[]]]]]}, 422),
        ([], 422),
        ("x", 422),
    ],
)
def test_metadata_is_a_small_object(speak: Speak, metadata: Any, status: int) -> None:
    assert speak("POST", W, {"id": "w", "metadata": metadata})[0] == status


def test_an_unknown_field_is_let_pass(speak: Speak) -> None:
    assert speak("POST", W, {"id": "w", "colour": "blue"})[0] == 201


def test_a_missing_route_and_a_missing_workspace_differ_in_their_text_alone(speak: Speak) -> None:
    assert speak("POST", f"{W}/w/chatter", {"query": "x"}) == (404, {"detail": "Not Found"})
    assert speak("POST", f"{W}/w/chat", {"query": "x"}) == (404, {"detail": "Workspace w not found"})


def test_a_method_that_a_path_does_not_know_is_405(speak: Speak) -> None:
    assert speak("GET", f"{W}/w/chat") == (405, {"detail": "Method Not Allowed"})
    assert speak("DELETE", f"{W}/w/peers/p")[0] == 405


def test_a_slash_at_the_end_is_redirected(honcho: EmbeddedHoncho) -> None:
    answer = send(honcho, "POST", f"{W}/", {"id": "w"})
    assert (answer.status, answer.headers["location"]) == (307, W)


@pytest.mark.parametrize("headers", [{"content-type": "text/plain"}, {"content-type": ""}])
def test_a_body_that_is_not_called_json_is_422(honcho: EmbeddedHoncho, headers: dict[str, str]) -> None:
    assert send(honcho, "POST", W, {"id": "w"}, headers=headers).status == 422


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b'{"id": 1' + b"0" * 5000 + b"}", b"null", b"7"])
def test_a_body_that_is_no_object_is_422(speak: Speak, body: bytes) -> None:
    status, answer = speak("POST", W, body)
    assert status == 422
    assert answer["detail"][0]["loc"][0] == "body"


def test_a_list_comes_in_pages_of_fifty(speak: Speak) -> None:
    for n in range(120):
        speak("POST", W, {"id": f"w{n}"})
    status, page = speak("POST", f"{W}/list")
    assert (status, page["total"], page["page"], page["size"], page["pages"]) == (200, 120, 1, 50, 3)
    assert [item["id"] for item in page["items"]] == [f"w{n}" for n in range(50)]
    last = speak("POST", f"{W}/list", {}, "page=3&size=50")[1]
    assert [item["id"] for item in last["items"]] == [f"w{n}" for n in range(100, 120)]
    assert speak("POST", f"{W}/list", {}, "page=9")[1]["items"] == []
    assert speak("POST", f"{W}/list", {}, "reverse=true&size=1")[1]["items"][0]["id"] == "w119"


@pytest.mark.parametrize("query", ["size=0", "size=101", "page=0", "page=x"])
def test_a_page_of_no_kind_is_422(speak: Speak, query: str) -> None:
    status, answer = speak("POST", f"{W}/list", {}, query)
    assert (status, answer["detail"][0]["loc"][0]) == (422, "query")


def test_workspaces_may_be_there_from_the_start(tmp_path: Path) -> None:
    for _ in range(2):
        honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite", workspaces=("own", "untrusted"))
        assert speaker(honcho)("POST", f"{W}/own/chat", {"query": "x"}) == (200, {"content": None})
        assert speaker(honcho)("POST", f"{W}/list")[1]["total"] == 2
        honcho.close()


def test_a_session_is_forgotten_with_its_messages(speak: Speak) -> None:
    speak(
        "POST", f"{W}/w/sessions/s/messages", {"messages": [{"peer_id": "p", "content": "The key is blue."}]}
    )
    assert speak("DELETE", f"{W}/w/sessions/s")[0] == 202
    assert speak("POST", f"{W}/w/search", {"query": "key"}) == (200, [])
    assert speak("POST", f"{W}/w/sessions/s/messages/list")[1]["total"] == 0
    assert speak("DELETE", f"{W}/w/sessions/s") == (404, {"detail": "Session s not found"})


def test_a_forgotten_message_leaves_no_words_in_the_index(honcho: EmbeddedHoncho, tmp_path: Path) -> None:
    speak = speaker(honcho)
    for session in ("s", "t"):
        path = f"{W}/w/sessions/{session}/messages"
        speak("POST", path, {"messages": [{"peer_id": "p", "content": f"The key of {session}."}]})
    speak("DELETE", f"{W}/w/sessions/s")
    with closing(sqlite3.connect(tmp_path / "honcho.sqlite")) as connection:
        assert connection.execute("SELECT content FROM message_text").fetchall() == [("The key of t.",)]


def test_a_workspace_is_kept_while_it_has_sessions(speak: Speak) -> None:
    speak("POST", f"{W}/w/sessions", {"id": "s"})
    assert speak("DELETE", f"{W}/w")[0] == 409
    speak("DELETE", f"{W}/w/sessions/s")
    assert speak("DELETE", f"{W}/w")[0] == 202
    assert speak("DELETE", f"{W}/w") == (404, {"detail": "Workspace w not found"})


def test_a_token_is_asked_for_before_the_body_is_read(tmp_path: Path) -> None:
    honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite", token="hush")
    assert speaker(honcho)("POST", W, b"{") == (401, {"detail": "No access token provided"})
    assert speaker(honcho, authorization="Bearer ")("POST", W, {}) == (
        401,
        {"detail": "No access token provided"},
    )
    assert speaker(honcho, authorization="Bearer x")("POST", W, {}) == (401, {"detail": "Invalid JWT"})
    assert speaker(honcho, authorization="Bearer hush")("POST", W, {"id": "w"})[0] == 201
    assert speaker(honcho)("GET", "/health") == (200, {"status": "ok"})
    honcho.close()


def test_without_a_token_any_token_passes(honcho: EmbeddedHoncho) -> None:
    assert speaker(honcho, authorization="Bearer whatever")("POST", W, {"id": "w"})[0] == 201


def test_a_name_that_cannot_be_stored_is_refused(speak: Speak) -> None:
    assert speak("POST", f"{W}/w/sessions/a%b/messages", {"messages": []})[0] == 422
