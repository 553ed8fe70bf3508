"""A grant: the owner's written permission for a tool, and the three that are built in (spec 2.2)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bxcore.args import ASK_MEMORY, HTTP_FETCH, MEMORY, READ_FILE, RECALL, SHELL, WRITE_FILE
from bxcore.labels import Label, Level

MEMORY_TOOLS = (RECALL, MEMORY, ASK_MEMORY)
"""Their policy is built in."""
GRANTED_TOOLS = (READ_FILE, WRITE_FILE, SHELL, HTTP_FETCH)
"""The tools that an owner's grant may name."""


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
    (milliseconds) and ``memory_mb`` are None where the grant does not say.
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

    @property
    def floor(self) -> Label:
        """The least label that a result under this grant has."""
        return Label(self.result_class, self.untrusted)

    def expired(self, now: datetime) -> bool:
        """Whether the grant is no grant any more; ``now`` has a time zone."""
        return self.expires is not None and now >= self.expires


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
