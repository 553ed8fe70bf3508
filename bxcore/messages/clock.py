"""Messages of the clock, which the process's pulse depends on (spec 5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """The clock tells itself: it is time to ping through the tree."""

    kind: Literal["beat"] = "beat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinged:
    """The clock tells itself: all pings came back or their deadline passed; ``silent`` did not answer."""

    silent: tuple[str, ...]
    kind: Literal["pinged"] = "pinged"


ClockMessage: TypeAlias = Beat | Pinged
