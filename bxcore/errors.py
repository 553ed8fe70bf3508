"""The root of every error whose words are for a person or a model."""

from __future__ import annotations


class SentenceError(Exception):
    """``sentence`` says what happened, which one, and what to do; it holds no secret, so it may be shown."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def system_reason(error: OSError) -> str:
    """Why the system refused, in its own words and in lower case, without a number or a path."""
    return (error.strerror or type(error).__name__).lower()
