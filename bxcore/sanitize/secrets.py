"""Secrets in a text: whether it holds one, of which family, and the text without them (spec 1.7).

A net for accidents: who wants to can always encode a secret past it. What holds against that is the session's
class, and that nothing of a high class leaves.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from bxcore.sanitize.aws_pairs import aws_secrets
from bxcore.sanitize.characters import spaced
from bxcore.sanitize.folding import drops_any
from bxcore.sanitize.glance import surely_without
from bxcore.sanitize.limits import LONGEST
from bxcore.sanitize.tokens import FAMILIES, pattern
from bxcore.sanitize.views import View, views

AWS = "secret-aws"
KEY = "secret-private-key"
WORDLIKE = frozenset({"secret-github", "secret-gitlab", "secret-sk", "secret-slack"})
"""Families whose tokens begin as words may, so that words without their spaces could be taken for one."""
UNSCANNED = "secret-unscanned"
"""The rule that a text breaks which is too long to be scanned."""

_END_OF_KEY = re.compile(
    r"-{4,5} ?END ?[A-Z0-9 ]{0,40}PRIVATE ?KEY(?: BLOCK)? ?-{4,5}|Private-MAC: ?[0-9a-f]{0,128}"
)

_COLOUR = re.compile(r"\x1b\[[0-9;:?]{0,40}[A-Za-z]")
"""A terminal's order, whose last letter would stand before a token as if it were a part of a word."""
_DIGITS = re.compile("[0-9]+")
_LOOKED_AT = 60
"""Characters of a token that are looked at; words may follow it without a space."""
_MANY = 6
_PLAIN = re.compile("gh[pousr]_[A-Za-z0-9]{30}")

Span = tuple[int, int]


def secret_rule(text: str) -> str | None:
    """The first family, in the order of ``FAMILIES``, with a token in any view of the text; None without."""
    if len(text) > LONGEST:
        return UNSCANNED
    if surely_without(text):
        return None
    return looked_through(text)


def looked_through(text: str) -> str | None:
    """The same by every view, without the glance that spares most texts it."""
    found = {rule for view in views(text) for rule in FAMILIES if _holds(rule, view)}
    return next((rule for rule in FAMILIES if rule in found), None)


def _holds(rule: str, view: View) -> bool:
    if not FAMILIES[rule].begins_in(view.text):
        return False
    if view.loose and rule in WORDLIKE:
        return any(_by_chance(match[0]) for match in pattern(rule).finditer(view.text))
    if rule == AWS and not view.loose and aws_secrets(view.text):
        return True
    return pattern(rule).search(view.text) is not None


def _by_chance(token: str) -> bool:
    """Whether it looks drawn, with digits in two places or many of them, and not like words side by side.

    Letters and digits alone, behind a prefix that is no word's, are enough: code has signs between its words.
    """
    digits = _DIGITS.findall(token[:_LOOKED_AT])
    return len(digits) > 1 or len("".join(digits)) >= _MANY or _PLAIN.match(token) is not None


def any_secret(text: str) -> str | None:
    """The family of a secret that the text holds, whatever else is wrong with it, or None (spec 1.7).

    Each character that is refused on its own counts as a space, so that it hides nothing that stood whole;
    the text is read as written too, whose views drop an invisible character within a token.
    """
    if len(text) > LONGEST:
        return UNSCANNED
    if surely_without(text):
        return None
    cleared = spaced(text)
    found = looked_through(cleared)
    if found is None and "\x1b[" in text:
        found = looked_through(spaced(_COLOUR.sub(" ", text)))
    return looked_through(text) if found is None and cleared != text and drops_any(text) else found


def redact(text: str) -> str:
    """The text with ``[secret-github]`` and the like in place of each secret; it holds none afterwards.

    A text with a secret that only another view shows becomes the mark alone.
    """
    if surely_without(text):
        return text
    shown = text if len(text) > LONGEST else _without_plain(text)
    left = any_secret(shown)
    return shown if left is None else f"[{left}]"


def _without_plain(text: str) -> str:
    for rule, family in FAMILIES.items():
        if family.begins_in(text):
            text = _replaced(text, _spans(rule, text), f"[{rule}]")
    return text


def _spans(rule: str, text: str) -> list[Span]:
    spans = [match.span() for match in pattern(rule).finditer(text)]
    if rule == AWS:
        return sorted([*spans, *aws_secrets(text)])
    return _with_bodies(spans, text) if rule == KEY else spans


def _with_bodies(heads: list[Span], text: str) -> list[Span]:
    """Each key from its first line to the end of its last; to the end of the text when it has none."""
    ends = [match.end() for match in _END_OF_KEY.finditer(text)]
    found = []
    for start, end in heads:
        following = bisect_left(ends, end)
        headed = text.startswith("-", start) or text.startswith("PuTTY", start)
        stop = ends[following] if following < len(ends) else len(text)
        found.append((start, stop if headed else end))
    return found


def _replaced(text: str, spans: list[Span], mark: str) -> str:
    parts: list[str] = []
    last = 0
    for start, end in spans:
        if start >= last:
            parts += (text[last:start], mark)
        last = max(last, end)
    return "".join((*parts, text[last:]))
