from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from actors.base import NoRoom, Refusal, Runtime
from actors.connection import Limits
from actors.connection_chats import FOR_COMMANDS
from bxcore.labels import TOP
from bxcore.messages.broker import ApprovalAsked, ApprovalClosed
from bxcore.messages.loop import LoopMessage, Queued, Say, StopTurn, TextDelta, TurnResult, TurnStarted, Usage
from tests.doubles.control_box import (
    APPROVAL,
    HELD,
    ControlBox,
    MakeBox,
    control_boxes,
    one_turn,
    turn,
)
from tests.doubles.control_box import connected as at_the_socket
from tests.kit.leaks import Letters

TOKEN = "t" * 32
HI = {"role": "user", "content": "hi"}


@pytest.fixture
def make(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    yield from control_boxes(runtime, monkeypatch)


class Client:
    """One request over TCP, or with ``socket`` over the control socket; what comes is read as it comes."""

    def __init__(self, box: ControlBox, *, at_socket: bool = False, **keys: Any) -> None:
        headers = keys.pop("headers", {})
        path = keys.pop("path", "/v1/chat/completions")
        host = "box" if at_socket else f"127.0.0.1:{box.port}"
        token = {} if at_socket else {"authorization": f"Bearer {TOKEN}"}
        body = json.dumps({"model": "boxmaker", "messages": [HI], **keys}).encode()
        sent = {"host": host, "content-length": str(len(body)), **token, **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        self.sock = at_the_socket(box) if at_socket else tcp(box)
        self.sock.sendall(f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)

    def begin(self) -> http.client.HTTPResponse:
        response = http.client.HTTPResponse(self.sock)
        response.begin()
        return response

    def answer(self) -> tuple[int, Any]:
        with self.sock:
            response = self.begin()
            return response.status, json.loads(response.read())

    def events(self) -> list[Any]:
        """The data of each event, comments left out; a stream that failed ends with its error."""
        with self.sock:
            response = self.begin()
            assert response.status == 200, response.read()
            return list(data_of(response.read()))


def tcp(box: ControlBox) -> socket.socket:
    return socket.create_connection(("127.0.0.1", box.port), timeout=10)


def data_of(body: bytes) -> Iterator[Any]:
    for event in body.decode().split("\n\n"):
        if event.startswith("data: "):
            yield "[DONE]" if event == "data: [DONE]" else json.loads(event[6:])


def text_of(events: list[Any]) -> str:
    chunks = [each for each in events if isinstance(each, Mapping) and each.get("choices")]
    return "".join(each["choices"][0]["delta"].get("content", "") for each in chunks)


def said(box: ControlBox) -> Say:
    (say,) = [each for each in box.seen if isinstance(each, Say)]
    return say


def wait_for(holds: Callable[[], object]) -> None:
    pause = threading.Event()
    for _ in range(500):
        if holds():
            return
        pause.wait(0.02)
    raise AssertionError("it never came to that")


@pytest.mark.parametrize("at_socket", [True, False])
def test_both_doors_give_a_completion(make: MakeBox, at_socket: bool) -> None:  # noqa: FBT001
    box = make(token=TOKEN)
    status, answer = Client(box, at_socket=at_socket, user="anna").answer()
    assert (status, answer["object"], answer["id"]) == (200, "chat.completion", "chatcmpl-anna-1")
    assert answer["choices"][0]["message"]["content"] == "the blue tin"
    assert answer["usage"]["prompt_tokens_details"] == {"cached_tokens": 2}
    assert said(box).text == "hi"


@pytest.mark.parametrize("at_socket", [True, False])
def test_both_doors_stream(make: MakeBox, at_socket: bool) -> None:  # noqa: FBT001
    box = make(token=TOKEN)
    events = Client(box, at_socket=at_socket, stream=True).events()
    assert events[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert text_of(events) == "the blue tin"
    assert events[-2]["choices"][0]["finish_reason"] == "stop"
    assert events[-1] == "[DONE]"
    assert {each["id"] for each in events[:-1]} == {"chatcmpl-api-1"}
    assert not any("usage" in each for each in events[:-1])


def test_a_stream_tells_its_tokens_when_it_was_asked_to(make: MakeBox) -> None:
    events = Client(make(token=TOKEN), stream=True, stream_options={"include_usage": True}).events()
    assert events[-2]["choices"] == []
    assert events[-2]["usage"]["total_tokens"] == 13


def test_the_session_is_said_in_the_answers_head(make: MakeBox) -> None:
    box = make(token=TOKEN)
    with (client := Client(box, user="Anna@example.org")).sock:
        assert client.begin().headers["x-boxmaker-session"] == said(box).session
    assert said(box).session.startswith("anna-example-org__")


@pytest.mark.parametrize(
    ("owner", "header", "speaker", "is_owner"),
    [
        ("anna", None, "anna", True),
        ("anna", "anna", "anna", True),
        ("anna", "ben", "ben", False),
        (None, None, None, True),
        (None, "ben", "ben", False),
    ],
)
def test_words_are_the_owners_unless_a_header_names_another(
    make: MakeBox,
    owner: str | None,
    header: str | None,
    speaker: str | None,
    is_owner: bool,  # noqa: FBT001
) -> None:
    box = make(token=TOKEN, owner=owner)
    headers = {} if header is None else {"x-boxmaker-speaker": header}
    assert Client(box, headers=headers).answer()[0] == 200
    assert (said(box).speaker, said(box).owner) == (speaker, is_owner)


@pytest.mark.parametrize(("header", "answers"), [({}, False), ({"x-boxmaker-approvals": "wait"}, True)])
def test_only_who_says_so_waits_for_approvals(make: MakeBox, header: dict[str, str], answers: bool) -> None:  # noqa: FBT001
    box = make(token=TOKEN)
    assert Client(box, headers=header).answer()[0] == 200
    assert said(box).answers is answers


def no_result(say: Say, number: int) -> TurnResult:
    return TurnResult(
        session=say.session,
        turn=number,
        reply=None,
        failed="the model is down",
        tools=(),
        label=TOP,
        usage=Usage(),
    )


def failing(number: int, *events: str) -> Callable[[Any], Any]:
    def script(message: LoopMessage) -> Any:
        assert isinstance(message, Say)
        assert message.listener is not None
        if number:
            message.listener.tell(TurnStarted(session=message.session, turn=number))
        for text in events:
            message.listener.tell(TextDelta(session=message.session, text=text))
        return no_result(message, number)

    return script


@pytest.mark.parametrize(("number", "status", "code"), [(3, 500, "turn_failed"), (0, 503, "not_begun")])
@pytest.mark.parametrize("stream", [True, False])
def test_a_turn_that_failed_before_a_word_has_a_status(
    make: MakeBox,
    number: int,
    status: int,
    code: str,
    stream: bool,  # noqa: FBT001
) -> None:
    box = make(token=TOKEN, script=failing(number))
    with (client := Client(box, stream=stream)).sock:
        response = client.begin()
        assert (response.status, response.headers["x-should-retry"]) == (status, "false")
        error = json.loads(response.read())["error"]
    assert (error["message"], error["code"]) == ("the model is down", code)


def test_a_turn_that_fails_behind_its_first_words_is_an_error_event(make: MakeBox) -> None:
    events = Client(make(token=TOKEN, script=failing(3, "let me ")), stream=True).events()
    assert text_of(events) == "let me "
    assert events[-1]["error"]["message"] == "the model is down"


def test_a_session_without_room_has_its_client_try_again(make: MakeBox) -> None:
    def full(_: Any) -> Any:
        raise NoRoom("32 messages wait")

    with (client := Client(make(token=TOKEN, script=full))).sock:
        response = client.begin()
        assert (response.status, response.headers["x-should-retry"]) == (429, "true")


def test_what_the_loop_refuses_is_not_tried_again(make: MakeBox) -> None:
    def refusing(_: Any) -> Any:
        raise Refusal("session main failed in the middle of the turn")

    status, answer = Client(make(token=TOKEN, script=refusing)).answer()
    assert (status, answer["error"]["message"]) == (500, "session main failed in the middle of the turn")


def test_turns_leave_room_for_what_takes_a_moment(make: MakeBox, letters: Letters) -> None:
    box = make(token=TOKEN, most=FOR_COMMANDS + 1, script=lambda _: HELD)
    first = Client(box)
    wait_for(lambda: box.held)
    status, answer = Client(box).answer()
    assert (status, answer["error"]["code"]) == (429, "busy")
    first.sock.close()
    letters.read_all()


def test_a_silent_turn_shows_signs_of_life_and_which_approval_it_waits_for(make: MakeBox) -> None:
    box = make(token=TOKEN, limits=Limits(sign_of_life_s=0.05), script=lambda _: HELD)
    with (client := Client(box, stream=True)).sock:
        wait_for(lambda: box.held)
        listener = said(box).listener
        assert listener is not None
        listener.tell(Queued(session="api", place=1))
        response = client.begin()
        assert response.readline() == b": \n"
        listener.tell(TurnStarted(session="api", turn=7))
        listener.tell(ApprovalAsked(session="api", approval=APPROVAL))
        while response.readline() != b": k7 waits for approval\n":
            pass
        listener.tell(ApprovalClosed(session="api", code="k7", approved=True, sentence="x"))
        while response.readline() != b": \n":
            pass
        box.held[0].set(replace(turn(said(box)), turn=7))
        events = list(data_of(response.read()))
    assert text_of(events) == "the blue tin"
    assert events[0]["id"] == "chatcmpl-api-7"


@pytest.mark.parametrize("stream", [True, False])
def test_a_turn_goes_on_when_its_client_leaves_and_its_place_is_free(make: MakeBox, stream: bool) -> None:  # noqa: FBT001
    box = make(token=TOKEN, limits=Limits(sign_of_life_s=0.05), script=lambda _: HELD)
    client = Client(box, stream=stream)
    wait_for(lambda: box.held)
    listener = said(box).listener
    assert listener is not None
    listener.tell(TurnStarted(session="api", turn=1))
    client.sock.close()
    wait_for(lambda: not len(box.chats))
    assert not any(isinstance(each, StopTurn) for each in box.seen)


@pytest.mark.parametrize("stream", [True, False])
def test_who_says_so_has_its_turn_end_with_it(make: MakeBox, stream: bool) -> None:  # noqa: FBT001
    box = make(token=TOKEN, script=lambda message: HELD if isinstance(message, Say) else True)
    client = Client(box, stream=stream, headers={"x-boxmaker-on-disconnect": "stop"})
    wait_for(lambda: box.held)
    listener = said(box).listener
    assert listener is not None
    listener.tell(TurnStarted(session="api", turn=1))
    client.sock.close()
    wait_for(lambda: StopTurn(session="api") in box.seen)


def test_a_turn_of_another_is_not_ended_by_one_who_waited_behind_it(make: MakeBox) -> None:
    box = make(token=TOKEN, script=lambda message: HELD if isinstance(message, Say) else True)
    client = Client(box, stream=True, headers={"x-boxmaker-on-disconnect": "stop"})
    wait_for(lambda: box.held)
    client.sock.close()
    wait_for(lambda: not len(box.chats))
    assert StopTurn(session="api") not in box.seen


@pytest.mark.parametrize(
    ("running", "text"), [(True, "The turn is being stopped."), (False, "No turn is running.")]
)
@pytest.mark.parametrize("stream", [True, False])
def test_a_stop_is_no_message_and_is_answered_as_one(
    make: MakeBox,
    running: bool,  # noqa: FBT001
    text: str,
    stream: bool,  # noqa: FBT001
) -> None:
    box = make(token=TOKEN, script=lambda _: running)
    client = Client(box, messages=[{"role": "user", "content": " /stop\n"}], user="anna", stream=stream)
    if stream:
        assert text_of(client.events()) == text
    else:
        assert client.answer()[1]["choices"][0]["message"]["content"] == text
    assert box.seen == [StopTurn(session="anna")]


def test_a_bad_request_is_refused_in_openais_shape_before_the_loop_hears_of_it(make: MakeBox) -> None:
    box = make(token=TOKEN)
    for at_socket in (True, False):
        status, answer = Client(box, at_socket=at_socket, n=2).answer()
        assert (status, answer["error"]["param"]) == (400, "n")
        status, answer = Client(box, at_socket=at_socket, path="/v1/models").answer()
        assert (status, answer["error"]["code"]) == (405, "wrong_method")
    assert box.seen == []


def test_the_control_socket_keeps_its_own_paths_and_its_own_shape(make: MakeBox) -> None:
    box = make(token=TOKEN)
    status, answer = Client(box, at_socket=True, path="/v1/nothing").answer()
    assert (status, answer["error"]) == (404, "no_such_route")


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


def test_news_of_a_turn_come_as_they_are_told(make: MakeBox) -> None:
    """The first words are there while the turn still runs."""
    box = make(token=TOKEN, script=lambda _: HELD)
    with (client := Client(box, stream=True)).sock:
        wait_for(lambda: box.held)
        say = said(box)
        result = one_turn(say)
        response = client.begin()
        assert response.readline().startswith(b'data: {"id":"chatcmpl-api-1"')
        box.held[0].set(replace(result, reply="the blue tin"))
        assert b"[DONE]" in response.read()


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
