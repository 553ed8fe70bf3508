"""Messages of a ``Fetch``, the short-lived actor that makes one request of the Internet (spec 2.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.messages.runner import RunTool


@dataclass(frozen=True, slots=True, kw_only=True)
class NobodyFetches:
    """A Fetch tells itself: end, its call has expired unread or will not come."""

    kind: Literal["nobody_fetches"] = "nobody_fetches"


FetchMessage: TypeAlias = RunTool | NobodyFetches
