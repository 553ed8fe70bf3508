"""One event of a chat-completions stream, checked and typed; a whole answer reads as one event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bxcore.model.nonsense import Nonsense
from bxcore.model.usage import read_usage
from bxcore.model.values import ModelUsage

DONE = "[DONE]"
MAX_ODD_NAME = 64
"""Characters kept of a tool's name that is no text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPiece:
    """A piece of a tool call; ``arguments`` is text to append, or a whole value from a careless server.

    Whatever a call looks like it is one: what is malformed in it becomes a result that the model sees
    (spec 3.3). A name that is no text stands as its JSON, so that it names no tool.
    """

    index: int
    id: str
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """What one event adds."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[CallPiece, ...] = ()
    finish: str = ""
    usage: ModelUsage | None = None
    done: bool = False

    @property
    def is_token(self) -> bool:
        """Whether the model has begun to answer."""
        return bool(self.text or self.reasoning or self.calls)


def read_chunk(data: str) -> Chunk:
    """Read an event's data; raises ``Nonsense`` that says what it is instead of a chunk."""
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        raise Nonsense("an event that is not JSON") from None
    if not isinstance(event, dict):
        raise Nonsense("JSON that is no object")
    if event.get("error"):
        raise Nonsense(f"an error: {_error_text(event['error'])}")
    usage, choices = read_usage(event), event.get("choices")
    if choices is None and usage is not None:
        choices = []  # an event of the numbers alone
    if not isinstance(choices, list):
        raise Nonsense("JSON without choices")
    return _read_choice(choices[0] if choices else {}, usage)


def _error_text(error: object) -> str:
    """All of it, on one line: who shows it takes the secrets out before it is cut."""
    text = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(text).split())


def _read_choice(choice: object, usage: ModelUsage | None) -> Chunk:
    choice = _mapping(choice, "a choice")
    delta = _mapping(choice.get("delta") or choice.get("message") or {}, "a delta")
    old = delta.get("function_call")  # what a server of the first tools' days says
    calls = delta.get("tool_calls") or ([{"function": old}] if old else [])
    calls = calls if isinstance(calls, list) else [calls]
    text, thought = _content(delta.get("content"))
    named = delta.get("reasoning_content") or delta.get("reasoning")
    return Chunk(
        text=text or _string(delta.get("refusal"), "a refusal"),
        reasoning=thought or (named if isinstance(named, str) else ""),
        calls=tuple(_read_call(at, call) for at, call in enumerate(calls)),
        finish=_string(choice.get("finish_reason"), "finish reason"),
        usage=usage,
    )


def _content(content: object) -> tuple[str, str]:
    """A delta's text and its thoughts; some servers write both as a list of parts."""
    if not isinstance(content, list):
        return _string(content, "content"), ""
    parts = [part for part in content if isinstance(part, dict)]
    text = "".join(_string(part.get("text"), "content") for part in parts)
    return text, "".join(_content(part["thinking"])[0] for part in parts if "thinking" in part)


def _read_call(at: int, call: object) -> CallPiece:
    call = call if isinstance(call, dict) else {}
    function = call.get("function")
    function = function if isinstance(function, dict) else {"name": function}
    own = call.get("id")
    return CallPiece(
        index=_index(call.get("index"), at),
        id=own if isinstance(own, str) else "",
        name=name_text(function.get("name")),
        arguments=function.get("arguments"),
    )


def _index(index: object, at: int) -> int:
    """The call's number in the answer; its place in the event when the server gives none."""
    if isinstance(index, str) and index.isdecimal() and len(index) < MAX_ODD_NAME:
        return int(index)
    return index if isinstance(index, int) else at


def name_text(name: object) -> str:
    """A tool's name as text: empty for none, the JSON of what is no text."""
    if name is None or isinstance(name, str):
        return name or ""
    return json.dumps(name)[:MAX_ODD_NAME]


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Nonsense(f"{what} that is no object")
    return value


def _string(value: object, what: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Nonsense(f"{what} that is no text")
    return value
