"""Strict reading of JSON that a stranger wrote: refused in a sentence, never a crash (spec 1.2)."""

from __future__ import annotations

import json
import math
import re

from bxcore.errors import SentenceError

MAX_TEXT = 65_536
"""64 KiB, counted in characters as every length is."""
MAX_DEPTH = 32
"""Objects and lists inside each other, the outermost counted."""
MAX_DIGITS = 300
"""Digits of a whole number: what lies beyond no tool takes, and no float holds."""


class UntrustedJsonError(SentenceError):
    """The text is refused; ``sentence`` says what to do instead and quotes nothing of the text."""


def read_object(text: str, *, max_text: int = MAX_TEXT) -> dict[str, object]:
    """One JSON object of a text of at most ``max_text`` characters; raises ``UntrustedJsonError`` only."""
    value = read_value(text, max_text=max_text)
    if not isinstance(value, dict):
        raise UntrustedJsonError("the arguments are no JSON object; write one object, such as {}")
    return value


def read_value(text: str, *, max_text: int = MAX_TEXT) -> object:
    """One JSON value of any kind; raises ``UntrustedJsonError`` only."""
    if len(text) > max_text:
        raise UntrustedJsonError(
            f"the arguments have {len(text)} characters, over the limit of {max_text}; send less"
        )
    if not text.strip(_WHITE):
        raise UntrustedJsonError("the arguments are empty; write one JSON object, such as {}")
    if _depth(text) > MAX_DEPTH:
        raise UntrustedJsonError(f"the arguments are nested deeper than {MAX_DEPTH}; write them flatter")
    value = _decoded(text)
    if _has_surrogate(value):
        raise UntrustedJsonError("the arguments hold half a surrogate pair; write the whole character")
    return value


_WHITE = " \t\n\r"
_SURROGATE = re.compile("[\ud800-\udfff]")
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


def _depth(text: str) -> int:
    """The deepest nesting, found before the decoder would recurse; text in strings does not count."""
    deepest = depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        first = text[match.start()]
        if first in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif first in "]}":
            depth -= 1
    return deepest


def _decoded(text: str) -> object:
    try:
        value, end = _DECODER.raw_decode(text, len(text) - len(text.lstrip(_WHITE)))
    except json.JSONDecodeError as error:
        raise UntrustedJsonError(
            f"the arguments are not valid JSON at character {error.pos + 1}; write one JSON object"
        ) from None
    if text[end:].strip(_WHITE):
        raise UntrustedJsonError(
            f"text follows the JSON at character {end + 1}; write one JSON object and nothing after it"
        )
    return value


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise UntrustedJsonError("a key is given twice; give each key once")
    return made


def _constant(name: str) -> object:
    raise UntrustedJsonError(f"{name} is no JSON number; write a finite number")


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise UntrustedJsonError("a number is too large; write a smaller one")
    return int(digits)


def _fraction(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise UntrustedJsonError("a number is too large; write a smaller one")
    return value


def _has_surrogate(value: object) -> bool:
    if isinstance(value, str):
        return _SURROGATE.search(value) is not None
    if isinstance(value, list):
        return any(_has_surrogate(item) for item in value)
    if isinstance(value, dict):
        return any(_has_surrogate(key) or _has_surrogate(item) for key, item in value.items())
    return False


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_whole, parse_float=_fraction
)
