from __future__ import annotations

import json

import pytest

from bxcore.model.native import tool_entries, wire_message
from bxcore.model.values import AssistantMessage, ToolMessage, UserMessage
from bxcore.records import ToolCall


def test_a_tool_stands_in_a_function_entry() -> None:
    assert tool_entries(({"name": "clock"},)) == [{"function": {"name": "clock"}, "type": "function"}]


def test_each_message_has_its_role() -> None:
    assert wire_message(UserMessage(text="hi")) == {"role": "user", "content": "hi"}
    assert wire_message(AssistantMessage(content="x")) == {"role": "assistant", "content": "x"}
    assert wire_message(ToolMessage(call="a", tool="clock", content="four")) == {
        "role": "tool",
        "tool_call_id": "a",
        "content": "four",
    }


def test_a_call_stands_structured_with_its_arguments_as_text() -> None:
    call = ToolCall(id="a", name="recall", arguments='{"query": "tea"}')
    assert wire_message(AssistantMessage(tool_calls=(call,))) == {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "recall", "arguments": '{"query": "tea"}'}}
        ],
    }


@pytest.mark.parametrize("arguments", ['{"a"', "tea", "[1]", "", "[" * 5000])
def test_arguments_that_are_no_object_are_sent_in_one(arguments: str) -> None:
    call = ToolCall(id="a", name="recall", arguments=arguments)
    wire = wire_message(AssistantMessage(tool_calls=(call,)))
    assert json.loads(wire["tool_calls"][0]["function"]["arguments"]) == {"malformed": arguments}


@pytest.mark.parametrize(("name", "sent"), [('{"a": 1}', "__a___1_"), ("", "_"), ("memory", "memory")])
def test_a_name_that_no_server_takes_is_sent_as_one_that_it_does(name: str, sent: str) -> None:
    wire = wire_message(AssistantMessage(tool_calls=(ToolCall(id="a", name=name, arguments="{}"),)))
    assert wire["tool_calls"][0]["function"]["name"] == sent
