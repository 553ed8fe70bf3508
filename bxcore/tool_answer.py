"""What a tool that runs elsewhere gives back: one of the memory's, a container's, a fetch (spec 2.3)."""

from __future__ import annotations

from dataclasses import dataclass

from bxcore.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """A tool's result: its text, whether it worked, and the runner's own label.

    ``known`` is False when the call may have begun and nobody knows what it did.
    """

    ok: bool
    content: str
    label: Label
    known: bool = True
