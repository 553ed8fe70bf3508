"""One event of a chat-completions stream, checked and typed; a whole answer reads as one event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bxcore.model.nonsense import Nonsense
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
    choices = event.get("choices")
    if not isinstance(choices, list):
        raise Nonsense("JSON without choices")
    return _read_choice(choices[0] if choices else {}, _usage(event))


def _error_text(error: object) -> str:
    """All of it, on one line: who shows it takes the secrets out before it is cut."""
    text = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(text).split())


def _read_choice(choice: object, usage: ModelUsage | None) -> Chunk:
    choice = _mapping(choice, "a choice")
    delta = _mapping(choice.get("delta") or choice.get("message") or {}, "a delta")
    calls = delta.get("tool_calls") or []
    calls = calls if isinstance(calls, list) else [calls]
    return Chunk(
        text=_string(delta.get("content"), "content"),
        reasoning=_string(delta.get("reasoning_content") or delta.get("reasoning"), "reasoning"),
        calls=tuple(_read_call(at, call) for at, call in enumerate(calls)),
        finish=_string(choice.get("finish_reason"), "finish reason"),
        usage=usage,
    )


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


def _usage(event: Mapping[str, Any]) -> ModelUsage | None:
    """Tokens as OpenAI counts them, with llama.cpp's ``timings`` for what it leaves out."""
    usage, timings = event.get("usage"), event.get("timings")
    usage = usage if isinstance(usage, dict) else {}
    timings = timings if isinstance(timings, dict) else {}
    if not usage and not timings:
        return None
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    cached = _count(timings.get("cache_n")) if cached is None else cached
    prompt = _count(usage.get("prompt_tokens"))
    if prompt is None:
        prompt = (_count(timings.get("prompt_n")) or 0) + (cached or 0)
    completion = _count(usage.get("completion_tokens"))
    if completion is None:
        completion = _count(timings.get("predicted_n")) or 0
    return ModelUsage(prompt=prompt, cached=cached, completion=completion)


def _count(value: object) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if whole and isinstance(value, int) else None
