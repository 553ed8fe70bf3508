from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors import session
from bxcore.openai_api import asked
from bxcore.openai_api.asked import Asked, read
from bxcore.openai_api.errors import ApiError

HI = {"role": "user", "content": "hi"}


def body(**keys: Any) -> bytes:
    return json.dumps({"model": "boxmaker", "messages": [HI], **keys}).encode()


def got(data: bytes, **headers: str) -> Asked:
    found = read(data, {name.replace("_", "-"): value for name, value in headers.items()})
    assert isinstance(found, Asked), found
    return found


def refused(data: bytes, **headers: str) -> ApiError:
    found = read(data, {name.replace("_", "-"): value for name, value in headers.items()})
    assert isinstance(found, ApiError), found
    return found


def saying(*messages: object) -> bytes:
    return body(messages=list(messages))


def test_only_the_last_message_of_the_user_is_said() -> None:
    history = [
        {"role": "system", "content": "You are a pirate."},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "three"},
    ]
    assert got(saying(*history)).text == "three"


def test_two_messages_of_the_user_in_a_row_are_not_joined() -> None:
    assert got(saying({"role": "user", "content": "lost"}, HI)).text == "hi"


@pytest.mark.parametrize("role", ["system", "developer"])
def test_a_clients_rules_are_left_out_wherever_they_stand(role: str) -> None:
    assert got(saying(HI, {"role": role, "content": "Be rude."})).text == "hi"
    assert refused(saying({"role": role, "content": "Be rude."})).param == "messages"


@pytest.mark.parametrize("role", ["assistant", "tool", "function", "User", ""])
def test_a_history_that_does_not_end_with_the_user_says_nothing_again(role: str) -> None:
    no = refused(saying(HI, {"role": role, "content": "x"}))
    assert (no.status, no.param) == (400, "messages")


def test_parts_of_text_are_put_on_lines_and_others_refused() -> None:
    parts = [{"type": "text", "text": "look"}, {"type": "text", "text": "here"}]
    assert got(saying({"role": "user", "content": parts})).text == "look\nhere"
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}
    no = refused(saying({"role": "user", "content": [*parts, picture]}))
    assert no.param == "messages[0].content[2]"
    assert no.message == "messages[0].content[2] is no text; pictures, sound and files are not taken"


@pytest.mark.parametrize(
    ("content", "param"),
    [
        (None, "messages[0].content"),
        (3, "messages[0].content"),
        ("", "messages[0].content"),
        (" \n", "messages[0].content"),
        ([], "messages[0].content"),
        ({"type": "text", "text": "x"}, "messages[0].content"),
        (["x"], "messages[0].content[0]"),
        ([{"type": 3}], "messages[0].content[0]"),
        ([{"type": "text"}], "messages[0].content[0].text"),
        ([{"type": "text", "text": None}], "messages[0].content[0].text"),
        ("x" * (asked.MAX_TEXT + 1), "messages[0].content"),
    ],
)
def test_a_message_without_text_is_refused_by_its_place(content: object, param: str) -> None:
    no = refused(saying({"role": "user", "content": content}))
    assert (no.status, no.param) == (400, param)


def test_as_much_is_taken_as_a_session_takes() -> None:
    assert asked.MAX_TEXT == session.MAX_TEXT
    assert len(got(saying({"role": "user", "content": "x" * asked.MAX_TEXT})).text) == asked.MAX_TEXT


@pytest.mark.parametrize(
    ("keys", "param"),
    [
        ({"n": 2}, "n"),
        ({"n": 0}, "n"),
        ({"tools": [{"type": "function"}]}, "tools"),
        ({"functions": [{}]}, "functions"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"response_format": {"type": "json_schema", "json_schema": {}}}, "response_format"),
        ({"modalities": ["text", "audio"]}, "modalities"),
        ({"logprobs": True}, "logprobs"),
    ],
)
def test_what_the_answer_would_silently_lack_is_refused(keys: dict[str, object], param: str) -> None:
    no = refused(body(**keys))
    assert (no.status, no.param, no.code) == (400, param, "unsupported_parameter")
    assert no.again is False


def test_what_only_colours_an_answer_and_what_says_nothing_is_ignored() -> None:
    colours = {"temperature": 0.2, "max_tokens": "many", "seed": None, "stop": ["x"], "top_p": 1, "x": {}}
    nothing = {"n": 1, "tools": [], "response_format": {"type": "text"}, "modalities": ["text"]}
    assert got(body(**colours, **nothing, logprobs=False, user=None)).text == "hi"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"messages": "hi"}, "messages must be an array"),
        ({"messages": []}, "the last message must be of the role user; it is what is said"),
        ({"messages": [{"content": "hi"}]}, "messages[0].role is missing"),
        ({"messages": [3]}, "messages[0] must be an object"),
        ({"stream": "yes"}, "stream must be true or false"),
        ({"stream_options": {"include_usage": 1}}, "stream_options.include_usage must be true or false"),
        ({"user": 7}, "user must be text in quotes"),
        ({"n": 1.5}, "n must be a whole number"),
        ({"model": None}, "model must be text in quotes"),
        ({"stream": 1, "user": 2}, "stream must be true or false; user must be text in quotes"),
    ],
)
def test_a_wrong_type_is_named(keys: dict[str, object], message: str) -> None:
    no = refused(body(**keys))
    assert (no.status, no.kind, no.message) == (400, "invalid_request_error", message)


def test_another_model_is_not_there() -> None:
    no = refused(body(model="gpt-5"))
    assert (no.status, no.param, no.code) == (404, "model", "model_not_found")
    assert "boxmaker" in no.message
    assert got(json.dumps({"messages": [HI]}).encode()).text == "hi"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the body is empty; write one JSON object, such as {}"),
        (b"\xff", "the body is not UTF-8 text"),
        (b"[1]", "the body is no JSON object; write one object, such as {}"),
        (b'{"a": 1, "a": 2}', "a key is given twice; give each key once"),
        (b'{"a": ' + b"[" * 5000, "the body is nested deeper than 32; write them flatter"),
        (b'{"a": ' + b"1" * 5000 + b"}", "a number is too large; write a smaller one"),
        (b'{"a": "\\ud800"}', "the body holds half a surrogate pair; write the whole character"),
        (
            b"{" + b" " * 1_048_576 + b"}",
            "the body has 1048578 characters, over the limit of 1048576; send less",
        ),
    ],
)
def test_what_is_no_json_object_is_refused_in_a_sentence(data: bytes, message: str) -> None:
    assert refused(data).message == message


@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: body(messages=text)))
def test_no_body_makes_it_fail(data: bytes) -> None:
    assert isinstance(read(data, {}), Asked | ApiError)


def test_a_stream_tells_its_tokens_when_asked_to() -> None:
    assert not got(body()).stream
    streamed = got(body(stream=True, stream_options={"include_usage": True}))
    assert (streamed.stream, streamed.usage) == (True, True)
    assert not got(body(stream=True, stream_options=None)).usage


def test_headers_say_who_speaks_where_and_how() -> None:
    plain = got(body(user="anna"))
    assert (plain.session, plain.speaker, plain.waits, plain.stops) == ("anna", None, False, False)
    told = got(
        body(user="anna"),
        x_boxmaker_session="kitchen",
        x_boxmaker_speaker="Zoë".encode().decode("latin-1"),
        x_boxmaker_approvals="wait",
        x_boxmaker_on_disconnect="stop",
    )
    assert (told.session, told.speaker, told.waits, told.stops) == ("kitchen", "Zoë", True, True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x_boxmaker_speaker", ""),
        ("x_boxmaker_speaker", "  "),
        ("x_boxmaker_speaker", "x" * 513),
        ("x_boxmaker_speaker", "\xff"),
        ("x_boxmaker_speaker", "a\tb"),
        ("x_boxmaker_session", "\xff"),
        ("x_boxmaker_approvals", "yes"),
        ("x_boxmaker_on_disconnect", ""),
    ],
)
def test_a_header_that_was_meant_and_is_wrong_is_no_default(name: str, value: str) -> None:
    assert refused(body(), **{name: value}).message.startswith(name.replace("_", "-"))
