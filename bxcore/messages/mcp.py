"""Messages of the actor of an MCP server; calls come to it as ``RunTool``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.messages.runner import RunTool


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAtServer:
    """It tells itself: look at the server's news and its end."""

    kind: Literal["look_at_server"] = "look_at_server"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLeft:
    """It tells itself: the call ``key`` is answered, given up, or over its time."""

    key: str
    kind: Literal["call_left"] = "call_left"


McpMessage: TypeAlias = RunTool | LookAtServer | CallLeft
