"""Secrets in a text: whether it holds one, of which family, and the text without them (spec 1.7).

A net for accidents: who wants to can always encode a secret past it. What holds against that is the session's
class, and that nothing of a high class leaves.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from bxcore.sanitize.aws_pairs import aws_secrets
from bxcore.sanitize.tokens import FAMILIES, pattern
from bxcore.sanitize.views import LONGEST, views

UNSCANNED = "secret-unscanned"
"""The rule that a text breaks which is too long to be scanned."""

_END_OF_KEY = re.compile(
    r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: ?[0-9a-f]{0,128}"
)

Span = tuple[int, int]


def secret_rule(text: str) -> str | None:
    """The first family, in the order of ``FAMILIES``, with a token in any view of the text; None without."""
    if len(text) > LONGEST:
        return UNSCANNED
    found = {rule for view in views(text) for rule in FAMILIES if _holds(rule, view)}
    return next((rule for rule in FAMILIES if rule in found), None)


def _holds(rule: str, view: str) -> bool:
    if not FAMILIES[rule].begins_in(view):
        return False
    return pattern(rule).search(view) is not None or (rule == "secret-aws" and bool(aws_secrets(view)))


def redact(text: str) -> str:
    """The text with ``[secret-github]`` and the like in place of each secret; it holds none afterwards.

    A text with a secret that only another view shows becomes the mark alone.
    """
    shown = text if len(text) > LONGEST else _without_plain(text)
    left = secret_rule(shown)
    return shown if left is None else f"[{left}]"


def _without_plain(text: str) -> str:
    for rule, family in FAMILIES.items():
        if family.begins_in(text):
            text = _replaced(text, _spans(rule, text), f"[{rule}]")
    return text


def _spans(rule: str, text: str) -> list[Span]:
    spans = [match.span() for match in pattern(rule).finditer(text)]
    if rule == "secret-aws":
        return sorted([*spans, *aws_secrets(text)])
    return _with_bodies(spans, text) if rule == "secret-private-key" else spans


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
