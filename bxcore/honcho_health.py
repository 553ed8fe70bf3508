"""How a Honcho workspace is, as one real request found it (spec 4.4, 4.7)."""

from __future__ import annotations

from enum import StrEnum


class Health(StrEnum):
    """What one real request found out about a workspace."""

    FINE = "fine"
    EMPTY = "empty"
    UNREACHABLE = "unreachable"
    NO_HONCHO = "no honcho"
    """It answers, and not as a Honcho does."""
    TOKEN_REFUSED = "token refused"  # noqa: S105 - a finding, no token
    NO_SUCH_WORKSPACE = "no such workspace"
    TOO_OLD = "server too old"
    FAILING = "failing"
