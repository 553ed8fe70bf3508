"""The message of every short-lived actor that is asked one thing (spec 4.4, 2.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class NobodyCame:
    """A temporary child tells itself: end, what it was made for has expired unread or will not come."""

    kind: Literal["nobody_came"] = "nobody_came"
