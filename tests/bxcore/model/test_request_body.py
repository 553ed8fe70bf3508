from __future__ import annotations

import dataclasses
from typing import Any

from bxcore.model.history import NO_RESULT
from bxcore.model.request_body import prompt_tokens, request_body
from bxcore.model.values import AssistantMessage, ModelRequest, Profile, UserMessage
from bxcore.records import ToolCall

TOOL = {"description": "d", "name": "clock", "parameters": {"properties": {}, "type": "object"}}
BASELINE = ({"role": "system", "content": "s"},)


def request(profile: Profile, **changes: Any) -> ModelRequest:
    made = ModelRequest(
        profile=profile, baseline=BASELINE, history=(UserMessage(text="hi", at="Monday"),), tools=(TOOL,)
    )
    return dataclasses.replace(made, **changes)


def test_a_native_request_has_the_tools_and_no_schema() -> None:
    assert request_body(request("native"), "m", llama_cpp=False) == {
        "model": "m",
        "messages": [*BASELINE, {"role": "user", "content": "It is Monday.\n\nhi"}],
        "max_tokens": 1024,
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [{"function": TOOL, "type": "function"}],
    }


def test_a_json_request_has_a_schema_no_tools_and_no_chance() -> None:
    body = request_body(request("json"), "m", llama_cpp=False)
    assert body["messages"] == [*BASELINE, {"role": "user", "content": "hi"}]
    assert body["temperature"] == 0
    assert body["response_format"]["type"] == "json_schema"
    assert "tools" not in body


def test_only_llama_cpp_is_sent_its_own_key() -> None:
    assert request_body(request("json"), "m", llama_cpp=True)["cache_prompt"] is True
    assert "cache_prompt" not in request_body(request("json"), "m", llama_cpp=False)


def test_a_request_without_tools_has_no_empty_array() -> None:
    assert "tools" not in request_body(request("native", tools=()), "m", llama_cpp=False)


def test_an_interrupted_call_is_sent_with_a_result() -> None:
    call = ToolCall(id="a", name="clock", arguments="{}")
    history = (UserMessage(text="hi"), AssistantMessage(tool_calls=(call,)))
    profiles: tuple[Profile, ...] = ("native", "json")
    for profile in profiles:
        sent = request_body(request(profile, history=history), "m", llama_cpp=False)["messages"]
        assert sent[-1] == {"role": "tool", "tool_call_id": "a", "content": NO_RESULT}


def test_each_request_repeats_the_one_before_from_its_start() -> None:
    first = request_body(request("json"), "m", llama_cpp=True)["messages"]
    longer = (UserMessage(text="hi"), AssistantMessage(content="hello"), UserMessage(text="more"))
    second = request_body(request("json", history=longer), "m", llama_cpp=True)["messages"]
    assert second[: len(first)] == first


def test_the_prompt_is_estimated_from_messages_and_tools() -> None:
    small = prompt_tokens(request_body(request("native", tools=()), "m", llama_cpp=False))
    assert 5 < small < 12
    assert prompt_tokens(request_body(request("native"), "m", llama_cpp=False)) > small + 20
