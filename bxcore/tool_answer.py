"""What a tool that runs elsewhere gives back: one of the memory's, a container's, a fetch (spec 2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bxcore.labels import NEUTRAL, Label, join

EFFECT_UNKNOWN = "what it did is unknown, look before you do it again"
"""For the model, behind what happened: such a call may have done all that it was to do."""


class Effect(StrEnum):
    """What a call may have done."""

    DONE = "done"
    """It began, and the answer tells how it ended."""
    NONE = "none"
    """It never began: the answer is the box's own words, and tells of nothing that a grant covers."""
    UNKNOWN = "unknown"
    """It may have begun, and nobody knows what it did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """A tool's result: its text, whether it worked, and the runner's own label."""

    ok: bool
    content: str
    label: Label
    effect: Effect = Effect.DONE

    def under(self, floor: Label) -> Label:
        """The label that it has under a grant with this floor (spec 2.3, step 6)."""
        return join(self.label, NEUTRAL if self.effect is Effect.NONE else floor)

    @property
    def outcome(self) -> str:
        """The word that the audit keeps: ``ok``, ``failed`` or ``unknown``."""
        if self.effect is Effect.UNKNOWN:
            return "unknown"
        return "ok" if self.ok else "failed"


def not_begun(sentence: str) -> ToolAnswer:
    """The box's own sentence why a call never began."""
    return ToolAnswer(ok=False, content=sentence, label=NEUTRAL, effect=Effect.NONE)
