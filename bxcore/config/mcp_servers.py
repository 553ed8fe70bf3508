"""Rules over all of ``[[mcp]]``: no two servers of one name, and no variable that is set twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bxcore.config.settings import McpTable

Where = tuple[str | int, ...]


def problems(servers: Sequence[McpTable]) -> list[tuple[Where, str]]:
    """Each broken rule as the key's path below ``[[mcp]]`` and one sentence."""
    return list(_problems(servers))


def _problems(servers: Sequence[McpTable]) -> Iterator[tuple[Where, str]]:
    seen: set[str] = set()
    for place, server in enumerate(servers):
        if server.name in seen:
            yield (place, "name"), f"{server.name} is there twice; its tools are called by this name"
        seen.add(server.name)
        if not server.command[0].strip():
            yield (place, "command"), "its first word is empty; write the program"
        for name in sorted(server.env.keys() & server.env_files.keys()):
            yield (place, "env_files", name), f"{name} stands in env too; write it once"
        for name in (*server.env, *server.env_files):
            if not name or "=" in name or "\0" in name or "\0" in server.env.get(name, ""):
                yield (place, "env"), "a variable's name holds no = and nothing holds a zero byte"
