"""Messages of a ``HonchoProbe``, a short-lived actor that tries one workspace for doctor (spec 4.7)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from bxcore.messages.errand import NobodyCame


class Health(StrEnum):
    """What one real request found out about a workspace."""

    FINE = "fine"
    EMPTY = "empty"
    UNREACHABLE = "unreachable"
    TOKEN_REFUSED = "token refused"  # noqa: S105 - a finding, no token
    NO_SUCH_WORKSPACE = "no such workspace"
    TOO_OLD = "server too old"
    FAILING = "failing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Try the workspace. Asked; the reply is a ``Probed``."""

    kind: Literal["probe"] = "probe"


HonchoProbeMessage: TypeAlias = Probe | NobodyCame


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """How the workspace is, one clause of detail (a kind and a status, no text), and how long it took."""

    health: Health
    detail: str
    took_ms: int
