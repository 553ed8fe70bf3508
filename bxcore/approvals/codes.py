"""Codes that a person types: a letter and a digit, longer when that is taken."""

from __future__ import annotations

import hashlib
from collections.abc import Container

LETTERS = "abcdefghijkmnpqrstuvwxyz"
DIGITS = "23456789"
"""Without what looks alike: o and 0, l and 1."""


def fresh(seed: str, taken: Container[str]) -> str:
    """The shortest code of ``seed`` that is not taken; the same seed leads along the same codes."""
    code = ""
    for place, byte in enumerate(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()):
        kinds = DIGITS if place % 2 else LETTERS
        code += kinds[byte % len(kinds)]
        if place % 2 and code not in taken:
            return code
    raise AssertionError("codes of every length are taken")


def as_typed(text: str) -> str:
    """The code that a person meant: without spaces around it, in small letters."""
    return text.strip().lower()
