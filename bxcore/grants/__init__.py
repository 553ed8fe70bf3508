"""Grants: the owner's written permissions, a TOML file each, and three that are built in (spec 2.2)."""

from bxcore.grants.grant import (
    BUILT_IN,
    GRANTED_TOOLS,
    MEMORY_TOOLS,
    SANDBOXED_TOOLS,
    Grant,
    Mode,
    WhenUntrusted,
)
from bxcore.grants.grant_set import GrantSet
from bxcore.grants.loading import MEMORY_POLICY, GrantProblem, Grants, load

__all__ = [
    "BUILT_IN",
    "GRANTED_TOOLS",
    "MEMORY_POLICY",
    "MEMORY_TOOLS",
    "SANDBOXED_TOOLS",
    "Grant",
    "GrantProblem",
    "GrantSet",
    "Grants",
    "Mode",
    "WhenUntrusted",
    "load",
]
