from __future__ import annotations

import json
from typing import Any

from bxcore.model.json_profile import (
    MAX_REPLY,
    MAX_STRING,
    call_text,
    instructions,
    reply_text,
    response_format,
    wire_messages,
)
from bxcore.model.values import AssistantMessage, ToolMessage, UserMessage
from bxcore.records import ToolCall
from bxcore.schemas import CORE_TOOLS, TOOLS

OFFERED = tuple(TOOLS[name] for name in (*CORE_TOOLS, "find_tool", "call_tool"))


def choices(workspaces: tuple[str, ...] = ("own", "boxmaker2")) -> dict[str, Any]:
    schema = response_format(OFFERED, workspaces)["json_schema"]["schema"]
    return {each["properties"].get("tool", {}).get("const", "reply"): each for each in schema["oneOf"]}


def strings(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for each in schema for found in strings(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("type") == "string" else []
    return own + [found for each in schema.values() for found in strings(each)]


def test_the_schema_has_a_choice_for_each_tool_and_the_reply() -> None:
    assert list(choices()) == [*CORE_TOOLS, "find_tool", "call_tool", "reply"]


def test_every_choice_is_closed_and_needs_all_its_keys() -> None:
    for each in choices().values():
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])


def test_every_string_has_a_length_or_its_values() -> None:
    for each in choices().values():
        for found in strings(each):
            assert "enum" in found or found["maxLength"] <= MAX_REPLY
    assert choices()["reply"]["properties"]["reply"]["maxLength"] == MAX_REPLY
    assert choices()["recall"]["properties"]["args"]["properties"]["query"]["maxLength"] == MAX_STRING


def test_a_workspace_is_one_of_the_real_names() -> None:
    args = choices(("own", "boxmaker2"))["ask_memory"]["properties"]["args"]
    assert args["properties"]["workspaces"] == {
        "type": "array",
        "items": {"enum": ["own", "boxmaker2"]},
        "maxItems": 2,
    }
    assert args["required"] == ["question"]


def test_the_tools_themselves_are_not_changed() -> None:
    before = json.dumps(OFFERED)
    response_format(OFFERED, ("own",))
    assert json.dumps(OFFERED) == before


def test_the_instructions_name_each_tool_with_its_arguments() -> None:
    lines = instructions(OFFERED).splitlines()
    assert lines[2].startswith("- recall {query, k?}: ")
    assert len(lines) == 1 + len(OFFERED)


def test_each_call_of_a_message_is_followed_by_its_own_result() -> None:
    calls = (
        ToolCall(id="a", name="clock", arguments="{}"),
        ToolCall(id="b", name="recall", arguments='{"query": "tea"}'),
    )
    history = (
        UserMessage(text="hi", at="Monday"),
        AssistantMessage(tool_calls=calls),
        ToolMessage(call="a", tool="clock", content="four"),
        ToolMessage(call="b", tool="recall", content="none"),
        AssistantMessage(content="It is four."),
    )
    assert list(wire_messages(history)) == [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": '{"tool":"clock","args":{}}'},
        {"role": "tool", "tool_call_id": "a", "content": "four"},
        {"role": "assistant", "content": '{"tool":"recall","args":{"query":"tea"}}'},
        {"role": "tool", "tool_call_id": "b", "content": "none"},
        {"role": "assistant", "content": '{"reply":"It is four."}'},
    ]


def test_what_was_recalled_comes_as_a_result_before_the_words_and_no_date_does() -> None:
    assert list(wire_messages((UserMessage(text="hi", at="Monday", recalled="[1] x"),))) == [
        {"role": "tool", "tool_call_id": "recalled", "content": "Recalled, perhaps of use:\n[1] x"},
        {"role": "user", "content": "hi"},
    ]


def test_a_malformed_call_of_the_past_is_sent_as_json() -> None:
    call = ToolCall(id="a", name="recall", arguments='{"que')
    sent = [*wire_messages((AssistantMessage(tool_calls=(call,)),))]
    assert json.loads(sent[0]["content"]) == {"tool": "recall", "args": {"malformed": '{"que'}}


def test_text_is_written_compact_and_not_escaped() -> None:
    assert call_text("clock", {}) == '{"tool":"clock","args":{}}'
    assert reply_text("Grüße") == '{"reply":"Grüße"}'
