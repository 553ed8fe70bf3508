from __future__ import annotations

import json
import time
from typing import Any

import pytest

from bxio.deadline_http import Cut
from bxio.honcho import HonchoClient, HonchoServer, HonchoUnavailable, NewMessage, errors
from tests.doubles import bad_manners
from tests.doubles.bad_manners import answers, in_turn
from tests.doubles.loopback import Handler, LoopbackServer

LONG_S = 20.0
QUESTION = "where is the marmalade"
PAGE = b"<!doctype html><html><body>Sign in to the wifi</body></html>"


def soon() -> float:
    return time.monotonic() + LONG_S


def chat(server: LoopbackServer, *, token: str = "", deadline_s: float | None = None) -> str | None:
    client = HonchoClient(HonchoServer(url=server.url, token=token))
    return client.chat("w", QUESTION, soon() if deadline_s is None else deadline_s)


def sent(server: LoopbackServer) -> tuple[str, dict[str, str], Any]:
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    return first, headers, json.loads(body)


def test_a_chat_sends_exactly_the_agreed_body() -> None:
    with LoopbackServer(answers(200, {"content": "in the larder"})) as server:
        assert chat(server) == "in the larder"
        first, headers, _ = sent(server)
        assert first == "POST /v3/workspaces/w/chat HTTP/1.1"
        assert headers["content-type"] == "application/json"
        assert server.requests[0].endswith(
            b'\r\n\r\n{"query":"%b","reasoning_level":"minimal"}' % QUESTION.encode()
        )


@pytest.mark.parametrize(
    ("token", "header"), [("hush", "Bearer hush"), (" hush\n", "Bearer hush"), ("", None), (" ", None)]
)
def test_the_token_is_sent_when_there_is_one(token: str, header: str | None) -> None:
    with LoopbackServer(answers(200, {"content": "x"})) as server:
        chat(server, token=token)
        assert sent(server)[1].get("authorization") == header


def test_a_path_before_v3_is_kept() -> None:
    with LoopbackServer(answers(200, {"content": "x"})) as server:
        HonchoClient(HonchoServer(url=server.url + "/memory/")).chat("w", QUESTION, soon())
        assert sent(server)[0] == "POST /memory/v3/workspaces/w/chat HTTP/1.1"


def test_what_the_server_cannot_take_is_mended_before_it_is_sent() -> None:
    with LoopbackServer(answers(200, {"content": "x"})) as server:
        HonchoClient(HonchoServer(url=server.url)).chat("w", "a\ud800\0" + "b" * 20_000, soon())
        assert sent(server)[2]["query"] == "a\N{REPLACEMENT CHARACTER}" + "b" * 9_998


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"content": None}, None),
        ({"content": ""}, ""),
        ({"content": " \n"}, " \n"),
        ({"content": "x" * 65_000}, "x" * 65_000),
        ({"content": "x", "evidence": {"conclusions": []}}, "x"),
        (b'{"content":"a\\ud800b"}', "a\N{REPLACEMENT CHARACTER}b"),
    ],
)
def test_an_answer_is_given_back_as_it_is(answer: object, text: str | None) -> None:
    with LoopbackServer(answers(200, answer)) as server:
        assert chat(server) == text


UNAVAILABLE: list[tuple[Handler, type[HonchoUnavailable], str]] = [
    (answers(401, {"detail": "Invalid JWT"}), errors.TokenRefused, "401, the token was refused"),
    (answers(404, {"detail": "Workspace w not found"}), errors.NoSuchWorkspace, "404, no such workspace"),
    (answers(404, {"detail": "Not Found"}), errors.NoWorkspaceChat, "404, no workspace chat on this server"),
    (answers(404, PAGE), errors.NoWorkspaceChat, "404, no workspace chat on this server"),
    (answers(404, {"detail": "Session s not found"}), errors.NotFound, "404, not found"),
    (answers(404, {"detail": [QUESTION]}), errors.NotFound, "404, not found"),
    (answers(422, {"detail": [{"input": QUESTION}]}), errors.Refused, "422, what was sent is refused"),
    (answers(429, {"detail": QUESTION}), errors.TooManyRequests, "429, too many requests"),
    (answers(500, {"detail": QUESTION}), errors.ServerFailed, "500, the server failed"),
    (answers(501, {"detail": QUESTION}), errors.ServerFailed, "501, the server failed"),
    (answers(502, PAGE), errors.GatewayFailed, "502, a proxy answered and its server did not"),
    (answers(503, PAGE), errors.GatewayFailed, "503, a proxy answered and its server did not"),
    (answers(504, b""), errors.GatewayFailed, "504, a proxy answered and its server did not"),
    (answers(418, b""), errors.Unexpected, "418, an unexpected status"),
    (answers(200, PAGE), errors.NotJson, "200, the answer is not JSON"),
    (answers(200, b""), errors.NotJson, "200, the answer is not JSON"),
    (answers(200, b"\xff\xfe"), errors.NotJson, "200, the answer is not JSON"),
    (answers(200, b"[" * 100_000), errors.NotJson, "200, the answer is not JSON"),
    (answers(200, b"null"), errors.WrongShape, "the answer has the wrong shape"),
    (answers(200, b"[]"), errors.WrongShape, "the answer has the wrong shape"),
    (answers(200, {}), errors.WrongShape, "the answer has the wrong shape"),
    (answers(200, {"content": [QUESTION]}), errors.WrongShape, "the answer has the wrong shape"),
    (answers(200, {"content": QUESTION * 60_000}), errors.AnswerTooLong, "200, the answer is too long"),
    (bad_manners.resets, errors.Reset, "the connection was reset"),
    (bad_manners.resets_in_the_body, errors.Reset, "the connection was reset"),
    (bad_manners.hangs_up, errors.Reset, "the connection was reset"),
    (bad_manners.hangs_up_in_the_body, errors.Reset, "the connection was reset"),
    (bad_manners.speaks_no_http, errors.NotHttp, "the answer is not HTTP"),
]


@pytest.mark.parametrize(
    ("handler", "kind", "line"), UNAVAILABLE, ids=lambda value: value if isinstance(value, str) else ""
)
def test_each_failure_has_its_kind_and_says_nothing_of_question_or_answer(
    handler: Handler, kind: type[HonchoUnavailable], line: str
) -> None:
    with LoopbackServer(handler) as server:
        with pytest.raises(HonchoUnavailable) as caught:
            chat(server)
        assert type(caught.value) is kind
        assert str(caught.value) == line
        assert caught.value.__cause__ is None
        assert len(server.requests) == 1, "nothing is sent twice"


@pytest.mark.parametrize("url", ["http://", "http://[", "ftp://127.0.0.1", "nonsense"])
def test_a_url_of_no_server_is_unreachable(url: str) -> None:
    with pytest.raises(errors.Unreachable):
        HonchoClient(HonchoServer(url=url)).chat("w", QUESTION, soon())


@pytest.mark.parametrize("handler", [bad_manners.silent, bad_manners.drips_headers])
def test_a_late_answer_is_named_with_its_limit(handler: Handler) -> None:
    with LoopbackServer(handler) as server:
        began_s = time.monotonic()
        with pytest.raises(errors.Late) as caught:
            chat(server, deadline_s=began_s + 0.12)
        kind, ms, unit = str(caught.value).rpartition(" ")[0].rpartition(" ")
        assert (kind, str(caught.value)[-3:]) == ("no answer in", " ms")
        assert 0 < int(unit) <= 120, ms
        assert caught.value.__cause__ is None


def test_an_answer_that_began_and_is_late_says_that_it_did_not_end() -> None:
    with LoopbackServer(bad_manners.drips_a_body) as server, pytest.raises(errors.Unended) as caught:
        chat(server, deadline_s=time.monotonic() + 0.12)
    assert str(caught.value).startswith("an answer that did not end in ")


def test_an_exchange_that_was_cut_says_so() -> None:
    cut = Cut()
    cut.cut()
    with LoopbackServer(bad_manners.silent) as server, pytest.raises(errors.WasCut):
        HonchoClient(HonchoServer(url=server.url)).chat("w", QUESTION, soon(), cut)


def test_a_bad_name_is_sent_nowhere() -> None:
    with LoopbackServer(answers(200, {})) as server:
        client = HonchoClient(HonchoServer(url=server.url))
        with pytest.raises(ValueError, match="is no Honcho name"):
            client.chat("a/b", QUESTION, soon())
        with pytest.raises(ValueError, match="is no Honcho name"):
            client.append("w", "s", [NewMessage(peer="a.b", content="x")], soon())
        assert server.requests == []


@pytest.mark.parametrize("answer", [{"items": "x"}, {"items": [{"id": 1}]}, ["x"], None, {"detail": "?"}])
def test_messages_of_the_wrong_shape_are_refused(answer: object) -> None:
    with LoopbackServer(answers(200, answer)) as server:
        client = HonchoClient(HonchoServer(url=server.url))
        with pytest.raises(errors.WrongShape):
            client.find("w", "s", {"turn": 1}, soon())
        with pytest.raises(errors.WrongShape):
            client.search("w", "x", 3, soon())


def test_a_server_that_is_no_honcho_has_no_such_route() -> None:
    with LoopbackServer(answers(404, PAGE)) as server, pytest.raises(errors.NoSuchRoute) as caught:
        HonchoClient(HonchoServer(url=server.url)).search("w", "x", 3, soon())
    assert str(caught.value) == "404, no such route on this server"


def test_an_append_whose_answer_is_lost_is_not_repeated() -> None:
    with LoopbackServer(bad_manners.hangs_up) as server:
        with pytest.raises(errors.Reset):
            HonchoClient(HonchoServer(url=server.url)).append(
                "w", "s", [NewMessage(peer="p", content="once")], soon()
            )
        assert len(server.requests) == 1


def delete(server: LoopbackServer) -> None:
    HonchoClient(HonchoServer(url=server.url)).delete_session("w", "s", soon())


@pytest.mark.parametrize(
    "handler",
    [
        answers(202, {"message": "Session deleted successfully"}),
        answers(202, b""),
        answers(404, {"detail": "Session s not found"}),
        answers(404, {"detail": "Workspace w not found"}),
    ],
)
def test_a_session_is_deleted_once_or_gone_already(handler: Handler) -> None:
    with LoopbackServer(handler) as server:
        delete(server)
        assert [request.split(b"\r\n")[0] for request in server.requests] == [
            b"DELETE /v3/workspaces/w/sessions/s HTTP/1.1"
        ]


@pytest.mark.parametrize(
    ("handler", "kind"),
    [
        (answers(404, {"detail": "Not Found"}), errors.NoSuchRoute),
        (answers(404, PAGE), errors.NoSuchRoute),
        (answers(405, {"detail": "Method Not Allowed"}), errors.Unexpected),
        (answers(200, PAGE), errors.NotJson),
        (answers(401, {"detail": "Invalid JWT"}), errors.TokenRefused),
        (answers(500, {"detail": "An unexpected error occurred"}), errors.ServerFailed),
    ],
)
def test_a_session_that_was_not_deleted_is_never_called_gone(
    handler: Handler, kind: type[HonchoUnavailable]
) -> None:
    with LoopbackServer(handler) as server, pytest.raises(kind):
        delete(server)


def test_a_page_of_the_longest_messages_is_read_whole() -> None:
    longest = "\N{GRINNING FACE}" * 25_000
    item = {"id": "m", "content": longest, "peer_id": "p", "session_id": "s", "workspace_id": "w"}
    page = {"items": [{**item, "created_at": "2026-01-01T00:00:00Z"}] * 24}
    with LoopbackServer(answers(200, json.dumps(page, ensure_ascii=False).encode())) as server:
        found = HonchoClient(HonchoServer(url=server.url)).find("w", "s", {"turn": 1}, soon())
        assert [len(message.content) for message in found] == [25_000] * 24


def test_every_page_is_asked_for_until_one_is_not_full() -> None:
    item = {"id": "m", "content": "x", "peer_id": "p", "session_id": "s", "workspace_id": "w"}
    full = {"items": [{**item, "created_at": "2026-01-01T00:00:00Z", "later_key": 1}] * 25}
    pages = in_turn([answers(200, full), answers(200, full), answers(200, {"items": []})])
    with LoopbackServer(pages) as server:
        assert len(HonchoClient(HonchoServer(url=server.url)).find("w", "s", {}, soon())) == 50
        first = [request.split(b" ")[1].rpartition(b"?")[2] for request in server.requests]
        assert first == [b"page=1&size=25", b"page=2&size=25", b"page=3&size=25"]
