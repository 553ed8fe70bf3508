"""Messages of a ``Consolidation``, the short-lived actor that asks the model for a shorter set (spec 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.messages.errand import NobodyCame


@dataclass(frozen=True, slots=True, kw_only=True)
class Shorten:
    """Shorten these portions of numbered notes, each by itself. The reply is a ``ShortenOutcome``."""

    portions: tuple[str, ...]
    kind: Literal["shorten"] = "shorten"


ConsolidationMessage: TypeAlias = Shorten | NobodyCame


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortened:
    """What the model wrote of each portion, as it wrote it; of the first ones only when it failed then."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotShortened:
    """The model gave no answer; ``sentence`` says why and what to do."""

    sentence: str


ShortenOutcome: TypeAlias = Shortened | NotShortened
