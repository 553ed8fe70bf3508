"""Answers in OpenAI's shapes: one completion, a stream of its chunks, the list of models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bxcore.messages.loop import Usage
from bxcore.openai_api import MODEL
from bxcore.openai_api.errors import ApiError

DONE = b"data: [DONE]\n\n"
"""How a stream that came to its end ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What all parts of one answer share; ``created`` is whole seconds of wall time."""

    session: str
    turn: int
    created: int

    @property
    def id(self) -> str:
        """An id that names the turn, so that it can be looked up in the session."""
        return f"chatcmpl-{self.session}-{self.turn}"

    def completion(self, text: str, usage: Usage) -> Mapping[str, Any]:
        """Write the whole answer."""
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return {**self._head("chat.completion"), "choices": [choice], "usage": usage_json(usage)}

    def role(self) -> bytes:
        """Begin a stream."""
        return self._chunk({"role": "assistant", "content": ""})

    def text(self, text: str) -> bytes:
        """A piece of the reply."""
        return self._chunk({"content": text})

    def end(self) -> bytes:
        """The reply is whole."""
        return self._chunk({}, "stop")

    def tokens(self, usage: Usage) -> bytes:
        """The chunk that ``stream_options.include_usage`` asks for: no choice, the turn's tokens."""
        return event({**self._head("chat.completion.chunk"), "choices": [], "usage": usage_json(usage)})

    def _chunk(self, delta: Mapping[str, str], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return event({**self._head("chat.completion.chunk"), "choices": [choice]})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": MODEL}


def usage_json(usage: Usage) -> Mapping[str, Any]:
    """Write a turn's tokens, summed over its requests of the model."""
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }


def models_json(created: int) -> Mapping[str, Any]:
    """Write the list of models: the box alone, there since its process began."""
    model = {"id": MODEL, "object": "model", "created": created, "owned_by": MODEL}
    return {"object": "list", "data": [model]}


def event(value: Mapping[str, Any]) -> bytes:
    """One server-sent event; the JSON is ASCII, so no line break of a text can end it."""
    return b"data: " + json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n\n"


def comment(text: str = "") -> bytes:
    """A line that clients skip, as a sign of life; ``text`` is one line of ASCII."""
    return f": {text}\n\n".encode("ascii")


def error_event(error: ApiError) -> bytes:
    """The last event of a stream that failed after it had begun."""
    return event(error.json())
