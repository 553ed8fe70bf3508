"""A request as the chat-completions wire has it (spec 3.4)."""

from __future__ import annotations

from typing import Any

from bxcore.model import json_profile, native
from bxcore.model.baseline import estimate_tokens
from bxcore.model.history import mended
from bxcore.model.values import ModelRequest


def request_body(request: ModelRequest, name: str, *, llama_cpp: bool) -> dict[str, Any]:
    """The body to post; ``llama_cpp`` adds what only its server knows and others may refuse.

    A model of the ``json`` profile is asked without chance (temperature 0): small ones wander.
    """
    history = mended(request.history)
    body: dict[str, Any] = {
        "model": name,
        "messages": [*request.baseline],
        "max_tokens": request.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if llama_cpp:
        body["cache_prompt"] = True
    if request.profile == "json":
        body["messages"] += json_profile.wire_messages(history)
        body["response_format"] = json_profile.response_format(request.tools, request.workspaces)
        body["temperature"] = 0
    else:
        body["messages"] += [native.wire_message(message) for message in history]
        if request.tools:
            body["tools"] = native.tool_entries(request.tools)
    return body


def prompt_tokens(body: dict[str, Any]) -> int:
    """The prompt's size by the stated estimate, for the first token's deadline."""
    texts = [str(message.get("content")) for message in body["messages"]]
    return estimate_tokens([*texts, str(body.get("tools", ""))])
