"""The arguments of a tool of an MCP server: an object, whose fields only that server knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class McpArgs:
    """``TOOL`` is the whole name, ``mcp.SERVER.TOOL``; the server itself checks the fields."""

    TOOL: str
    arguments: Mapping[str, object] = field(default_factory=dict)
