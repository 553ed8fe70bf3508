"""What was decided of a call, and why (spec 2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bxcore.args import Args
from bxcore.grants.grant import Grant
from bxcore.labels import OWN_WORDS, Label


class Ruling(StrEnum):
    """Run it, ask the owner first, or do not run it."""

    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What becomes of a call.

    ``reasons`` names the rules that were asked, the last one decided; ``steps`` says of each, in the same
    order, what it found: for the owner, never for the model. ``sentence`` is what the model sees of a
    refusal, ``why`` what the owner is told when asked; each is None otherwise. ``canonical`` is the
    arguments' one written form, None when they could not be read. ``grant`` is the one under which the call
    runs, or the one that refused it. ``floor`` is the least label of the result. ``stricter`` are the grants
    that a fetch which is sent elsewhere must not run into, see ``refuse_redirect``. ``masked`` are the
    folders that its run must not see, see ``masks``. ``bound`` stands for all grants that reach the call: it
    is another text when one of them is another, so that an approval given under them holds no more.
    """

    outcome: Ruling
    reasons: tuple[str, ...]
    steps: tuple[str, ...]
    sentence: str | None = None
    why: str | None = None
    args: Args | None = None
    canonical: str | None = None
    grant: Grant | None = None
    floor: Label = OWN_WORDS
    stricter: tuple[Grant, ...] = ()
    masked: tuple[str, ...] = ()
    bound: str = ""

    @property
    def decision(self) -> str:
        """As the audit keeps it: ``allowed``, ``asks: `` and why, or ``refused: `` and the rule."""
        match self.outcome:
            case Ruling.ALLOW:
                return "allowed"
            case Ruling.ASK:
                return f"asks: {self.why}"
            case Ruling.REFUSE:
                return f"refused: {self.reasons[-1]}"
