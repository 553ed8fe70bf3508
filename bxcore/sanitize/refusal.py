"""The rules that a text is held to, in their order, and the sentence of each (spec 1.7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bxcore.sanitize.characters import CONTROL, NONCHARACTERS, PRIVATE_USE, holds_any, holds_misplaced
from bxcore.sanitize.limits import LONGEST
from bxcore.sanitize.secrets import UNSCANNED, any_secret, secret_rule
from bxcore.sanitize.tags import has_tag
from bxcore.sanitize.tokens import FAMILIES


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The first rule that a text breaks; ``sentence`` says what to do and quotes nothing of the text."""

    rule: str
    sentence: str


_CHARACTER_RULES: tuple[tuple[str, Callable[[str], bool], str], ...] = (
    (
        "control",
        partial(holds_any, CONTROL),
        "a control character; leave it out, and end lines with a line feed",
    ),
    ("invisible", holds_misplaced, "an invisible character; write visible characters only"),
    (
        "private-use",
        partial(holds_any, PRIVATE_USE),
        "a private-use character; write a common one in its place",
    ),
    ("noncharacter", partial(holds_any, NONCHARACTERS), "a code point that is no character; leave it out"),
)


def refuse(text: str) -> Refusal | None:
    """The first rule that the text breaks, in the order of spec 1.7, or None."""
    for rule, breaks, fault in _CHARACTER_RULES:
        if breaks(text):
            return Refusal(rule=rule, sentence=f"the text holds {fault}")
    secret = secret_rule(text)
    if secret is not None:
        return Refusal(rule=secret, sentence=_secret_sentence(secret))
    if has_tag(text):
        return Refusal(rule="tag", sentence="the text holds a chat-template tag; say in words what it means")
    return None


def _secret_sentence(rule: str) -> str:
    if rule == UNSCANNED:
        return f"the text is too long to look for secrets in it; write at most {LONGEST} characters"
    return f"the text looks like it holds {FAMILIES[rule].title}; leave the secret out"


def has_secret(text: str) -> bool:
    """Whether the text holds a secret, whatever else is wrong with it; one over 2 MB counts so."""
    return any_secret(text) is not None
