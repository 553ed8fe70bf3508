"""The ``json`` profile: one JSON object a message, ``{"tool", "args"}`` or ``{"reply"}``, held to a schema.

It is for models that cannot fill their own tool template, such as the embedded one (spec 3.4).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bxcore.model.history import RECALLED
from bxcore.model.values import AssistantMessage, Message, ToolMessage, UserMessage, Wire

MAX_REPLY = 2000
MAX_STRING = 1000
"""Characters; llama.cpp's grammars take repetitions up to 2,000."""

HOW = (
    'Each of your messages is one JSON object: {"tool":NAME,"args":{…}} to use a tool, or {"reply":TEXT} to'
    " answer. The tools:"
)


def instructions(tools: tuple[Wire, ...]) -> str:
    """What the system message says of the form and the tools, a line a tool."""
    return "\n".join([HOW, *(_tool_line(tool) for tool in tools)])


def _tool_line(tool: Wire) -> str:
    properties = tool["parameters"].get("properties", {})
    required = tool["parameters"].get("required", ())
    names = (name if name in required else f"{name}?" for name in properties)
    return f"- {tool['name']} {{{', '.join(names)}}}: {tool['description']}"


def response_format(tools: tuple[Wire, ...], workspaces: tuple[str, ...]) -> Wire:
    """The request's ``response_format``: exactly one call of a known tool, or a reply."""
    reply = _closed({"reply": {"type": "string", "maxLength": MAX_REPLY}})
    calls = [
        _closed({"tool": {"const": tool["name"]}, "args": _bounded(tool["parameters"], workspaces)})
        for tool in tools
    ]
    schema = {"oneOf": [*calls, reply]}
    return {"type": "json_schema", "json_schema": {"name": "message", "strict": True, "schema": schema}}


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _bounded(schema: Any, workspaces: tuple[str, ...], name: str = "") -> Any:
    """The schema with a length on each string, and the real names where a workspace is asked for."""
    if isinstance(schema, list):
        return [_bounded(part, workspaces) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    if name == "workspaces" and workspaces:
        return {"type": "array", "items": {"enum": list(workspaces)}, "maxItems": schema.get("maxItems", 2)}
    bounded = {key: _bounded(value, workspaces) for key, value in schema.items() if key != "description"}
    if "properties" in schema:
        found = schema["properties"].items()
        bounded["properties"] = {key: _bounded(value, workspaces, key) for key, value in found}
    if schema.get("type") == "string" and "enum" not in schema:
        bounded["maxLength"] = min(schema.get("maxLength", MAX_STRING), MAX_STRING)
    return bounded


def call_text(tool: str, arguments: Any) -> str:
    """A call as the model writes it."""
    return _compact({"tool": tool, "args": arguments})


def reply_text(text: str) -> str:
    """A reply as the model writes it."""
    return _compact({"reply": text})


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def wire_messages(history: tuple[Message, ...]) -> Iterator[Wire]:
    """The history as the wire has it: each call of a message is followed by its own result.

    No dates: a small model answers to them ("hi" got the time when tried); it asks the clock as it should.
    """
    results = {message.call: message for message in history if isinstance(message, ToolMessage)}
    for message in history:
        if isinstance(message, UserMessage):
            yield from user_messages(message)
        elif isinstance(message, AssistantMessage):
            yield from _assistant(message, results)


def user_messages(message: UserMessage) -> Iterator[Wire]:
    """What was recalled, as a result that came before; then the person's words and nothing else."""
    if message.recalled:
        yield {"role": "tool", "tool_call_id": "recalled", "content": f"{RECALLED}\n{message.recalled}"}
    yield {"role": "user", "content": message.text}


def _assistant(message: AssistantMessage, results: Mapping[str, ToolMessage]) -> Iterator[Wire]:
    if not message.tool_calls:
        yield {"role": "assistant", "content": reply_text(message.content)}
    for call in message.tool_calls:
        yield {"role": "assistant", "content": call_text(call.name, _read(call.arguments))}
        if call.id in results:
            yield {"role": "tool", "tool_call_id": call.id, "content": results[call.id].content}


def _read(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return {"malformed": arguments}
