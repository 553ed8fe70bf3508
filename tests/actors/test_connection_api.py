from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from actors.base import NoRoom, Refusal, Runtime
from actors.connection import Limits
from actors.connection_chats import FOR_COMMANDS
from bxcore.labels import TOP
from bxcore.messages.broker import ApprovalAsked, ApprovalClosed
from bxcore.messages.loop import LoopMessage, Queued, Say, StopTurn, TextDelta, TurnResult, TurnStarted, Usage
from tests.doubles.api_client import TOKEN, Client, data_of, text_of, wait_for
from tests.doubles.control_box import (
    APPROVAL,
    HELD,
    ControlBox,
    MakeBox,
    control_boxes,
    one_turn,
    turn,
)
from tests.kit.leaks import Letters


@pytest.fixture
def make(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    yield from control_boxes(runtime, monkeypatch)


def said(box: ControlBox) -> Say:
    (say,) = [each for each in box.seen if isinstance(each, Say)]
    return say


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
