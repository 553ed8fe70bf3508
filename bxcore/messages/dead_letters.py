"""Messages of the actor that writes dead letters to the log (spec 5.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class LettersWaiting:
    """News from the ring: there are letters that nobody has read. Told once for each stretch of them."""

    kind: Literal["letters_waiting"] = "letters_waiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class MinuteOver:
    """The actor tells itself: the minute in which it fell silent is over."""

    kind: Literal["minute_over"] = "minute_over"


DeadLetterLogMessage: TypeAlias = LettersWaiting | MinuteOver
