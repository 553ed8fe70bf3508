"""The text rules: how fast strangers' text is made harmless and secrets are looked for.

A row is the time for a megabyte; that of ``text_any_prefix_worst`` is the worst of many texts that are one
piece many times over, as an attacker would write who wants to stop every actor.
"""

# ruff: noqa: RUF001  # look-alike characters are among the texts

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from statistics import median

from bench.row import Row
from bxcore.sanitize import has_secret, neutralise, redact, refuse
from bxcore.sanitize.tokens import FAMILIES

ROWS = (
    "text_neutralise_ascii",
    "text_neutralise_mixed",
    "text_secrets_prose",
    "text_secrets_code",
    "text_secrets_mixed",
    "text_any_prefix_worst",
)
MB = 1_000_000
ROUNDS = 7
NEUTRALISE_MS = 50.0
"""20 MB/s."""
SCAN_MS = 1_000.0
"""1 MB/s."""

PROSE = "The boiler hums at night, says the note of 2027; see [1] and the manual, page 40 (or ask Ada).\n"
CODE = (
    "def read(path: str, *, limit: int = 65_536) -> bytes:\n"
    '    """Read a file\'s first bytes; ``\\\\n`` ends a line, 50% is half of it."""\n'
    "    with open(path, 'rb') as file:\n        return file.read(limit) if limit else b\"\" + b'&amp;'\n"
    "# sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 https://example.org/?a=%7Bb%7D\n"
)
MIXED = "Det er en blå dag på Ærøskøbing, sagde hun – и он ответил: да. 你好，世界。 می‌خواهم 👨‍👩‍👧\n"
OTHERS = (
    *(
        "VVVV",
        "FVVU",
        "QUJD",
        "GEZDGNBV",
        "mfrgg",
        "67686f5f",
        "67:68:",
        "%41",
        "%25",
        "&#65;",
        "&amp;",
        "\\u0041",
    ),
    *(
        "\\\\",
        "=41",
        '"a" + ',
        "g h p _ ",
        "<",
        "<|a",
        "[1] ",
        "### ",
        "\n",
        "a\n",
        " ",
        "é",
        "ﬃ",
        "а",
        "a\u0301",
    ),
    *(
        "\u200b",
        "👨\u200d",
        "☀\ufe0f",
        "\r\n",
        "\x1b[",
        "ghp_A1b2C3d4E5f6G7h8J9k0A1b2C3d4E5f6 ",
        "-----BEGIN A ",
    ),
)


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the wanted rows."""
    for row, work, unit, goal in (
        ("text_neutralise_ascii", neutralise, PROSE, NEUTRALISE_MS),
        ("text_neutralise_mixed", neutralise, MIXED, NEUTRALISE_MS),
        ("text_secrets_prose", has_secret, PROSE, SCAN_MS),
        ("text_secrets_code", has_secret, CODE, SCAN_MS),
        ("text_secrets_mixed", has_secret, MIXED, SCAN_MS),
    ):
        if row in wanted:
            yield measured(row, work, unit, goal)
    if "text_any_prefix_worst" in wanted:
        yield worst_prefix()


def of_size(unit: str) -> str:
    """A megabyte of UTF-8."""
    data = unit.encode() * (MB // len(unit.encode()) + 1)
    return data[:MB].decode("utf-8", "ignore")


def took_ms(work: Callable[[str], object], text: str) -> float:
    begun = time.perf_counter()
    work(text)
    return (time.perf_counter() - begun) * 1e3


def measured(row: str, work: Callable[[str], object], unit: str, goal_ms: float) -> Row:
    """Both take turns, so that what else the machine does falls on both."""
    text = of_size(unit)
    pairs = [(took_ms(work, text), took_ms(one_search, text)) for _ in range(ROUNDS)]
    return Row(
        row=row,
        value=median(ours for ours, _ in pairs),
        unit="ms for 1 MB",
        reference=REFERENCE,
        reference_value=median(theirs for _, theirs in pairs),
        goal=goal_ms,
    )


REFERENCE = "one regular expression that looks for a fixed word in any case, over the same text"
_SEARCH = re.compile("[gG][hH][pP]_[a-z]{36}")


def one_search(text: str) -> object:
    return _SEARCH.search(text)


def worst_prefix() -> Row:
    """Each prefix of a secret and each other piece, a megabyte of it, through every rule."""
    prefixes = [anchor for family in FAMILIES.values() for anchor in family.anchors]
    texts = [of_size(unit) for unit in (*prefixes, *OTHERS)]
    works = (has_secret, refuse, redact, neutralise)
    worst_ms, worst = max(
        ((took_ms(work, text), text) for text in texts for work in works), key=lambda each: each[0]
    )
    return Row(
        row="text_any_prefix_worst",
        value=worst_ms,
        unit="ms for 1 MB",
        reference=REFERENCE,
        reference_value=median(took_ms(one_search, worst) for _ in range(ROUNDS)),
        goal=SCAN_MS,
    )
