"""A grant: the owner's written permission for a tool, and the three that are built in (spec 2.2)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bxcore.args import ASK_MEMORY, HTTP_FETCH, MEMORY, READ_FILE, RECALL, SHELL, WRITE_FILE
from bxcore.labels import Label, Level
from bxcore.mcp_names import EVERY, granted_server

MEMORY_TOOLS = (RECALL, MEMORY, ASK_MEMORY)
"""Their policy is built in."""
SANDBOXED_TOOLS = (READ_FILE, WRITE_FILE, SHELL)
"""The tools that run in a sandbox."""
GRANTED_TOOLS = (*SANDBOXED_TOOLS, HTTP_FETCH)
"""The tools that an owner's grant may name."""
MAX_LISTED = 5
"""Entries of a list that a line about a grant names; of more it tells the number."""


class Mode(StrEnum):
    """What a grant says of a call that it matches; ``deny`` beats ``ask`` beats ``auto``."""

    AUTO = "auto"
    ASK = "ask"
    DENY = "deny"


class WhenUntrusted(StrEnum):
    """What a grant says in an untrusted session."""

    ALLOW = "allow"
    ASK = "ask"
    NAMED = "named"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One grant, checked. ``text`` is its TOML as written; its sha256 stands in the audit log.

    ``expires`` has a time zone. Empty ``methods`` and ``commands`` mean any; ``max_bytes``, ``time_limit_ms``
    (milliseconds) and ``memory_mb`` are None where the grant does not say. ``real_paths`` is where each of
    ``paths`` led when the grant was loaded; left out, they are no links.
    """

    id: str
    tool: str
    mode: Mode
    text: str
    max_taint: Level = Level.PRIVATE
    result_class: Level = Level.PRIVATE
    untrusted: bool = True
    when_untrusted: WhenUntrusted = WhenUntrusted.ASK
    expires: datetime | None = None
    paths: tuple[str, ...] = ()
    real_paths: tuple[str, ...] = ()
    read_only: bool = True
    hosts: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    max_bytes: int | None = None
    commands: tuple[str, ...] = ()
    time_limit_ms: int | None = None
    memory_mb: int | None = None
    sha256: str = field(init=False)
    """Of ``text`` in UTF-8, in hexadecimal."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", hashlib.sha256(self.text.encode()).hexdigest())
        object.__setattr__(self, "real_paths", self.real_paths or self.paths)

    @property
    def leads(self) -> dict[str, str]:
        """Where each of ``paths`` led when the grant was loaded."""
        return dict(zip(self.paths, self.real_paths, strict=True))

    @property
    def floor(self) -> Label:
        """The least label that a result under this grant has."""
        return Label(self.result_class, self.untrusted)

    @property
    def about(self) -> str:
        """What it covers, on one line: for listings."""
        match self.tool:
            case "shell":
                what = f"{_listed(self.commands, 'any command')}{_folders(self, ' in ')}"
            case "http_fetch":
                what = f"{_listed(self.methods, 'any method')} at {_listed(self.hosts, 'any host')}"
            case "read_file" | "write_file":
                what = _folders(self, "") or "the work folder"
            case tool if server := granted_server(tool):
                which = "any tool" if tool.endswith(f".{EVERY}") else "this tool"
                what = f"{which} of the MCP server {server}"
            case _:
                what = "built in"
        return what if self.expires is None else f"{what}, until {self.expires.isoformat()}"

    def expired(self, now: datetime) -> bool:
        """Whether the grant is no grant any more; ``now`` has a time zone."""
        return self.expires is not None and now >= self.expires


def _listed(entries: tuple[str, ...], otherwise: str) -> str:
    shown = ", ".join(entries[:MAX_LISTED])
    more = len(entries) - MAX_LISTED
    return f"{shown} and {more} more" if more > 0 else shown or otherwise


def _folders(grant: Grant, before: str) -> str:
    """The folders, and whether they are written to; an explicit no says nothing of that."""
    if not grant.paths:
        return ""
    how = "" if grant.mode is Mode.DENY else ", read-only" if grant.read_only else ", writable"
    return f"{before}{_listed(grant.paths, '')}{how}"


def _built_in(tool: str) -> Grant:
    return Grant(
        id=f"builtin-{tool.replace('_', '-')}",
        tool=tool,
        mode=Mode.AUTO,
        text=(
            f'tool = "{tool}"\nmode = "auto"\nmax_taint = "secret"\n'
            'result_class = "private"\nuntrusted = false\n'
        ),
        max_taint=Level.SECRET,
        result_class=Level.PRIVATE,
        untrusted=False,
        when_untrusted=WhenUntrusted.ALLOW,
    )


BUILT_IN = tuple(_built_in(tool) for tool in (MEMORY, RECALL, ASK_MEMORY))
"""The grants of the memory tools; they apply in every session, secret and untrusted ones too."""
