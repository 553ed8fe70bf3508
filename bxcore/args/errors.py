"""The refusal of a call's arguments, and the line that the model sees of it (spec 1.2)."""

from __future__ import annotations

from bxcore.errors import SentenceError

MAX_SENTENCE = 300
"""Characters of a sentence that the model is shown."""

PREFIX = "invalid argument shape: "


class ArgsError(SentenceError):
    """A call's arguments are refused; ``sentence`` says what to do instead, without the prefix."""

    @property
    def line(self) -> str:
        """What the model sees: ``invalid argument shape: `` and the sentence, cut to 300 characters."""
        return refusal_line(self.sentence)


def refusal_line(sentence: str) -> str:
    """The whole line of a refusal as the model sees it; the sentence is cut to 300 characters."""
    return PREFIX + sentence[:MAX_SENTENCE]
