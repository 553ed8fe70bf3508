"""Messages of a ``HonchoProbe``, a short-lived actor that tries one workspace for doctor (spec 4.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.honcho_health import Health
from bxcore.messages.errand import NobodyCame


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
