"""What a text states, as against what it asks: a question is no answer to itself."""

from __future__ import annotations

import re

MAX_SENTENCES = 400
"""Sentences looked at of one text; what lies behind them is left out."""

_SENTENCE_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+|[\r\n]+")
_QUESTION_MARKS = ("?", "\N{FULLWIDTH QUESTION MARK}")
_CLOSING = "\"'\N{RIGHT DOUBLE QUOTATION MARK}) "

_W = r"(?:where|who|whom|whose|what|which|when|why|how)"
_VERB = r"(?:is|are|was|were|am|do|does|did|can|could|should|would|will|has|have|many|much|old|long|far)"
_LEAD = r"\W{0,8}(?:(?:and|so|but|now|ok|okay|well|hey|hi)\W{1,3})?"
_ASKS = tuple(
    re.compile(rf"{_LEAD}{pattern}\b", re.IGNORECASE)
    for pattern in (
        rf"{_W}(?:\s{{1,3}}\w{{1,30}})?\s{{1,3}}{_VERB}",
        rf"{_W}'s",
        rf"(?:please\s)?(?:ask|tell|remind|show|find|look|check|search|recall)\b.{{0,80}}\b(?:{_W}|whether|if)",
        r"(?:please\s)?(?:ask|check|search|consult)\s(?:your|the|my)\smemory",
    )
)
"""How a sentence begins that asks without a question mark; every quantifier is bounded."""

_KNOWS_NOTHING = tuple(
    re.compile(rf"\b{pattern}\b", re.IGNORECASE)
    for pattern in (
        r"(?:don't|doesn't|didn't|do not|does not|did not) (?:know|recall|remember)",
        r"(?:don't|do not|doesn't|does not) have (?:any )?(?:information|records?|memory|memories|access)",
        r"no (?:idea|records?|information|answer|memory|memories|mention)",
        r"(?:can't|cannot|can not|couldn't|could not|unable to) (?:find|answer|recall|say|determine)",
        r"not (?:sure|certain|found|mentioned|known)",
    )
)


def sentences(text: str) -> list[str]:
    """Split a text at line ends and behind ``.``, ``!`` or ``?``; blank pieces are dropped."""
    pieces = (piece.strip() for piece in _SENTENCE_END.split(text))
    return [piece for piece in pieces if piece][:MAX_SENTENCES]


def states(sentence: str) -> bool:
    """Whether a sentence says something: it neither asks, nor owns that nothing is known."""
    plain = sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    if plain.rstrip(_CLOSING).endswith(_QUESTION_MARKS):
        return False
    if any(pattern.match(plain) for pattern in _ASKS):
        return False
    return not any(pattern.search(plain) for pattern in _KNOWS_NOTHING)


def statements(text: str) -> str:
    """The sentences of a text that state something, joined by a space."""
    return " ".join(sentence for sentence in sentences(text) if states(sentence))
