"""What tools of MCP servers are called: ``mcp.SERVER.TOOL``, so that no two servers' tools are one.

A server's name holds no dot, so the whole name says which is which.
"""

from __future__ import annotations

import re

PREFIX = "mcp."
MAX_NAME = 64
"""Characters of a whole name, as of every tool's."""
EVERY = "*"
"""In a grant, in place of a tool: all tools of that server."""
SERVER_RULE = "1 to 24 of a-z, 0-9 and -, a letter first"

_SERVER = r"[a-z][a-z0-9-]{0,23}"
_TOOL = r"[A-Za-z0-9_-][A-Za-z0-9_.-]*"
_NAME = re.compile(rf"mcp\.({_SERVER})\.({_TOOL})")


def fit_server(name: str) -> bool:
    """Whether a server may be called so."""
    return re.fullmatch(_SERVER, name) is not None


def split(name: str) -> tuple[str, str] | None:
    """The server and its tool; None for every other name."""
    found = _NAME.fullmatch(name) if len(name) <= MAX_NAME else None
    return None if found is None else (found[1], found[2])


def joined(server: str, tool: str) -> str | None:
    """The whole name; None for a tool that cannot be called by one."""
    name = f"{PREFIX}{server}.{tool}"
    return name if split(name) == (server, tool) else None


def every(server: str) -> str:
    """What a grant names that is for all tools of a server."""
    return f"{PREFIX}{server}.{EVERY}"


def granted_server(tool: str) -> str | None:
    """Which server a grant's ``tool`` is of, for one tool or all; None when it is of none."""
    if tool.startswith(PREFIX) and tool.endswith(f".{EVERY}"):
        server = tool[len(PREFIX) : -len(EVERY) - 1]
        return server if fit_server(server) else None
    found = split(tool)
    return None if found is None else found[0]
