"""Why the index cannot be used."""

from __future__ import annotations

from bxcore.errors import SentenceError


class RecallIndexError(SentenceError):
    """The index cannot be used; ``sentence`` says why. A ``damaged`` one is to be dropped and made anew."""

    def __init__(self, sentence: str, *, damaged: bool = False) -> None:
        super().__init__(sentence)
        self.damaged = damaged
