"""The ``native`` profile: structured tool calls of the chat-completions API (spec 3.4)."""

from __future__ import annotations

import json
import re
from typing import Any, assert_never

from bxcore.model.history import user_text
from bxcore.model.values import AssistantMessage, Message, ToolMessage, UserMessage, Wire
from bxcore.records import ToolCall

_ODD = re.compile("[^A-Za-z0-9_-]")
"""What no function's name may hold: a strict server refuses the whole request for it."""


def tool_entries(tools: tuple[Wire, ...]) -> list[Wire]:
    """The request's ``tools`` array; a tool is ``{"description", "name", "parameters"}``."""
    return [{"function": tool, "type": "function"} for tool in tools]


def wire_message(message: Message) -> Wire:
    """One message of the history as the wire has it."""
    match message:
        case UserMessage():
            return {"role": "user", "content": user_text(message)}
        case ToolMessage():
            return {"role": "tool", "tool_call_id": message.call, "content": message.content}
        case AssistantMessage(tool_calls=()):
            return {"role": "assistant", "content": message.content}
        case AssistantMessage():
            calls = [_wire_call(call) for call in message.tool_calls]
            return {"role": "assistant", "content": message.content, "tool_calls": calls}
    assert_never(message)


def _wire_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": _ODD.sub("_", call.name) or "_", "arguments": _sound(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _sound(arguments: str) -> str:
    """The arguments, or what stands for them: a server's template reads them, and fails on no JSON object."""
    try:
        whole = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        whole = False
    return arguments if whole else json.dumps({"malformed": arguments}, ensure_ascii=False)
