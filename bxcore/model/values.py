"""What is asked of a model and what it answers, the same for every tool profile (spec 3.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from bxcore.records import ToolCall

Profile: TypeAlias = Literal["native", "json"]
"""How a model calls tools: structured calls, or JSON text held to a schema."""

Wire: TypeAlias = Mapping[str, Any]
"""A JSON object of the chat-completions wire, such as one message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    """What the person said.

    ``at`` is the date and time for the model to read (``Monday 2026-11-30 19:16 UTC``), ``recalled`` what
    auto_recall found, both empty when there is nothing to say. They are part of the message, and so come
    after the baseline and never change it; a caller that keeps them with the turn keeps the prefix cache.
    """

    text: str
    at: str = ""
    recalled: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantMessage:
    """What the model wrote before: a reply, or calls with or without text."""

    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMessage:
    """One tool's result, already neutralised when it is untrusted."""

    call: str
    tool: str
    content: str


Message: TypeAlias = UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request of a session.

    ``baseline`` and ``tools`` are what the session saved at its start: the wire messages of
    ``bxcore.model.baseline_messages`` and the tools array, each tool
    ``{"description", "name", "parameters"}``. ``workspaces`` are the names that ask_memory may be asked
    about, for the json profile's schema. ``uncached_tokens`` is how much of the prompt the server has
    probably not seen, for the first token's deadline; None counts the whole prompt. ``anew`` says that it
    does not repeat the request before it: what a server has in its cache of that one is of less use.
    """

    profile: Profile
    baseline: tuple[Wire, ...]
    history: tuple[Message, ...]
    tools: tuple[Wire, ...] = ()
    workspaces: tuple[str, ...] = ()
    max_tokens: int = 1024
    uncached_tokens: int | None = None
    anew: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """Tokens of one request; ``cached`` is None when the server does not say."""

    prompt: int = 0
    cached: int | None = None
    completion: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """The whole answer to one request.

    ``text`` is what was streamed. With ``tool_calls`` it is a remark beside them, else the reply.
    ``finish`` is ``stop``, ``tool_calls``, ``length`` (cut by the token limit) or what else the server said;
    ``structured`` says that the calls came as the API has them, not as text.
    """

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: ModelUsage = field(default_factory=ModelUsage)
    finish: str = "stop"
    structured: bool = False
