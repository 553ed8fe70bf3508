"""How an MCP server is: for status, doctor, and the tools that sessions find."""

from __future__ import annotations

from dataclasses import dataclass

from bxcore.mcp_tools import McpTool


@dataclass(frozen=True, slots=True, kw_only=True)
class McpKnown:
    """What sessions may find and call: the tools that were listed. ``silent`` servers have listed none."""

    tools: tuple[McpTool, ...] = ()
    silent: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class McpView:
    """``text`` is one line; ``tools`` are the last that it listed, also while it is down."""

    server: str
    ready: bool
    text: str
    tools: tuple[McpTool, ...] = ()
