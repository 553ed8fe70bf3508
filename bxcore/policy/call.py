"""A call that is to be decided, and what makes two calls the same one (spec 2.3)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from bxcore.labels import Label
from bxcore.repeats import TurnCalls

MAX_NAME = 64
"""Characters of a tool's name as the audit keeps it; the model may write any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call as the model wrote it, with what its session is: the label so far and the turn's calls.

    ``said`` is the owner's own message of this turn, None when nobody or somebody else spoke. ``denied``
    holds the ``call_key`` of each call that the owner denied in this turn.
    """

    tool: str
    arguments: str
    state: Label
    calls: TurnCalls
    said: str | None = None
    denied: frozenset[str] = frozenset()


def call_key(tool: str, canonical: str) -> str:
    """What makes two calls the same one."""
    return f"{tool} {canonical}"


def sha256(text: str) -> str:
    """Of a text that a model wrote: halves of characters count too."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
