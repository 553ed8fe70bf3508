from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.model.chunk import CallPiece, Chunk, read_chunk
from bxcore.model.nonsense import Nonsense
from bxcore.model.values import ModelUsage

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def chunk(**event: Any) -> Chunk:
    return read_chunk(json.dumps(event))


def delta(**fields: Any) -> Chunk:
    return chunk(choices=[{"delta": fields}])


def test_text_reasoning_and_finish_are_read() -> None:
    found = chunk(choices=[{"delta": {"content": "a", "reasoning_content": "b"}, "finish_reason": "stop"}])
    assert found == Chunk(text="a", reasoning="b", finish="stop")
    assert found.is_token


def test_a_role_alone_is_no_token() -> None:
    assert not delta(role="assistant", content=None).is_token


def test_a_whole_answer_reads_as_one_chunk() -> None:
    assert chunk(choices=[{"message": {"content": "a"}, "finish_reason": "stop"}]).text == "a"


def test_a_call_piece_keeps_its_index_and_an_argument_object() -> None:
    found = delta(tool_calls=[{"index": 2, "id": "x", "function": {"name": "clock", "arguments": {"a": 1}}}])
    assert found.calls == (CallPiece(index=2, id="x", name="clock", arguments={"a": 1}),)


def test_calls_without_an_index_are_told_apart_by_place() -> None:
    found = delta(tool_calls=[{"function": {"name": "a"}}, {"function": {"name": "b"}}])
    assert [call.index for call in found.calls] == [0, 1]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ({"function": {"name": 17}}, "17"),
        ({"function": {"name": False}}, "false"),
        ({"function": {"name": {"a": "b"}}}, '{"a": "b"}'),
        ({"function": {"name": None}}, ""),
        ({"function": {"name": ["x" * 99]}}, '["' + "x" * 62),
        ({"function": "clock"}, "clock"),
        ({"function": {"name": "clock"}, "id": 5}, "clock"),
        ({"function": {"name": "clock"}, "index": None}, "clock"),
        ("clock", ""),
        (None, ""),
    ],
)
def test_a_malformed_call_is_a_call(call: Any, name: str) -> None:
    wanted = (CallPiece(index=0, id="", name=name, arguments=None),)
    assert delta(tool_calls=[call]).calls == wanted
    assert call is None or delta(tool_calls=call).calls == wanted


def test_an_index_written_as_text_is_one() -> None:
    assert delta(tool_calls=[{"index": "3", "function": {"name": "a"}}]).calls[0].index == 3


def test_cached_tokens_come_from_the_details_or_from_timings() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    assert chunk(choices=[], usage=usage).usage == ModelUsage(prompt=9, cached=4, completion=2)
    timings = {"cache_n": 7, "prompt_n": 3, "predicted_n": 1}
    assert chunk(choices=[], timings=timings).usage == ModelUsage(prompt=10, cached=7, completion=1)
    assert chunk(choices=[], usage={"prompt_tokens": 9}, timings={"cache_n": 5}).usage == ModelUsage(
        prompt=9, cached=5, completion=0
    )


def test_a_server_that_does_not_say_what_was_cached_is_not_taken_for_zero() -> None:
    assert chunk(choices=[], usage={"prompt_tokens": 9, "completion_tokens": 1}).usage == ModelUsage(
        prompt=9, cached=None, completion=1
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{", "not JSON"),
        ("[" * 5000, "not JSON"),
        ("17", "no object"),
        ('{"object": "list"}', "without choices"),
        ('{"choices": [3]}', "a choice that is no object"),
        ('{"choices": [{"delta": ["x"]}]}', "a delta that is no object"),
        ('{"choices": [{"delta": {"content": 5}}]}', "content that is no text"),
        ('{"error": {"message": "out of\\n memory"}}', "an error: out of memory"),
        ('{"error": "no"}', "an error: no"),
    ],
)
def test_what_is_no_chunk_is_named(data: str, said: str) -> None:
    with pytest.raises(Nonsense, match=said):
        read_chunk(data)


@given(JSON)
def test_any_json_is_a_chunk_or_nonsense(value: Any) -> None:
    for event in (value, {"choices": value}, {"choices": [value]}, {"choices": [{"delta": value}]}):
        for shaped in (event, {"choices": [], "usage": value, "timings": value}):
            with contextlib.suppress(Nonsense):
                read_chunk(json.dumps(shaped))


def test_an_event_of_numbers_alone_needs_no_choices() -> None:
    assert chunk(usage={"prompt_tokens": 9}).usage == ModelUsage(prompt=9)
    assert chunk(choices=None, timings={"prompt_n": 9}).usage == ModelUsage(prompt=9)
    with pytest.raises(Nonsense, match="without choices"):
        chunk(choices=None, usage=None)


def test_a_reply_in_parts_is_joined_and_its_thoughts_are_kept_apart() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "It is "},
        {"type": "text", "text": "four."},
    ]
    assert delta(content=parts) == Chunk(text="It is four.", reasoning="hm")


def test_a_call_of_the_first_tools_days_is_one() -> None:
    found = delta(function_call={"name": "clock", "arguments": "{}"})
    assert found.calls == (CallPiece(index=0, id="", name="clock", arguments="{}"),)


def test_a_refusal_is_what_the_model_says_and_odd_thoughts_are_none() -> None:
    assert delta(content=None, refusal="I will not.").text == "I will not."
    assert delta(content="a", reasoning={"x": 1}) == Chunk(text="a")
    assert delta(content="a", reasoning="b").reasoning == "b"
