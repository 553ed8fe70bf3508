"""Grants as rows of a listing (spec 2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from bxcore.did_you_mean import hint
from bxcore.grants import Grant
from bxcore.mcp_names import granted_server
from bxcore.messages.broker import GrantRow

SHOWN = 5
"""Entries of a list that a row names."""


def rows(
    grants: Iterable[Grant], now: datetime, servers: frozenset[str] = frozenset()
) -> tuple[GrantRow, ...]:
    """One row a grant, in the order given; ``now`` has a time zone, ``servers`` are the MCP servers."""
    return tuple(
        GrantRow(
            id=grant.id,
            tool=grant.tool,
            mode=grant.mode.value,
            max_taint=grant.max_taint.text,
            when_untrusted=grant.when_untrusted.value,
            about=", ".join(_about(grant, servers)) or "every call",
            sha256=grant.sha256,
            expired=grant.expired(now),
        )
        for grant in grants
    )


def _about(grant: Grant, servers: frozenset[str]) -> Iterator[str]:
    server = granted_server(grant.tool)
    if server is not None and server not in servers:
        yield f"no call, boxmaker.toml has no MCP server {server}{hint(server, sorted(servers))}"
    for name, values in (
        ("paths", grant.paths),
        ("hosts", grant.hosts),
        ("methods", grant.methods),
        ("commands", grant.commands),
    ):
        if values:
            more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
            yield f"{name} {' '.join(values[:SHOWN])}{more}"
    if grant.paths and grant.read_only:
        yield "read-only"
    if grant.expires is not None:
        yield f"until {grant.expires.isoformat()}"
