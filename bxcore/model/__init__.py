"""Talking to a model, as values and pure functions: requests, streams, profiles, repairs (spec 3.3, 3.4)."""

from bxcore.model.baseline import baseline_messages, estimate_tokens, prompt_parts
from bxcore.model.values import (
    AssistantMessage,
    Message,
    ModelReply,
    ModelRequest,
    ModelUsage,
    Profile,
    ToolMessage,
    UserMessage,
)

__all__ = [
    "AssistantMessage",
    "Message",
    "ModelReply",
    "ModelRequest",
    "ModelUsage",
    "Profile",
    "ToolMessage",
    "UserMessage",
    "baseline_messages",
    "estimate_tokens",
    "prompt_parts",
]
