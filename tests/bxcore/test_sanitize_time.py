"""The text rules take time in step with a text's length, whatever it is made of (spec 1.7).

Seconds are asserted nowhere: ``bench/rows_text.py`` measures them.
"""

# ruff: noqa: RUF001  # look-alike characters are the subject

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bxcore.sanitize import has_secret, neutralise, redact, refuse
from bxcore.sanitize.views import views

SMALL = 2_000
TIMES = 16

PREFIXES = [
    *("ghp_", "ghs_", "github_pat_", "glpat-", "GR1348941", "sk-", "sk-proj-", "sk-ant-api03-", "sk_live_"),
    *(
        "xoxb-",
        "xoxe.xoxp-",
        "xoxd-",
        "xapp-1-",
        "hooks.slack.com/services/",
        "AKIA",
        "AKIAAAAAAAAAAAAAAAAA ",
    ),
    *(
        "ABSK",
        "aws_secret_access_key=",
        "SecretAccessKey: ",
        "-----BEGIN ",
        "----- BEGIN A ",
        "PRIVATE KEY-----",
    ),
    *(
        "-",
        "PuTTY-User-Key-File-",
        "AGE-SECRET-KEY-1",
        "<",
        "<|",
        "<|a",
        "<s ",
        "<a|",
        "[",
        "[1] ",
        "[|",
        "]~",
        "###",
    ),
    *(
        "### ",
        "Human",
        "Human: \n",
        "/think",
        "/",
        "%41",
        "%",
        "\\u0041",
        "\\",
        "&#65;",
        "&#",
        "&",
        "QUJD",
        "Z2hwXw",
    ),
    *(
        "67686f5f",
        "a",
        "A1",
        "é",
        "\u200d",
        "☀\ufe0f",
        "\u0301\u0323",
        "＜｜",
        "\n",
        " ",
        " \n",
        "x\n",
        '"+\n',
        "\x00",
    ),
    *(
        "%25",
        "%2525",
        "&amp;amp;",
        "\\\\",
        "\\147",
        "=41",
        "=\n",
        "&lowbar;",
        "VVVV",
        "FVVU",
        "GEZDGNBV",
        "mfrgg",
    ),
    *(
        "g h p _ ",
        "a.",
        '"a" + ',
        "'a',",
        "67:68:",
        "0x67,",
        "\x1b[",
        "\x1b[0m",
        " sk-",
        "а",
        "a\u0301",
        "👨\u200d",
    ),
    *("ghp_A1b2C3d4E5f6G7h8J9k0A1b2C3d4E5f6 ", "sk-a1b2 ", "glpat-1 ", "secret_access_key=a", "🏴\U000e0067"),
    *("𐀀", "ﷺ", "ﬃ", "⑽", "-----BEGIN PRIVATE KEY-----\n", "xox", "=", "A=", "a" * 63 + "<|"),
]


def cost_s(work: Callable[[str], object], text: str) -> float:
    """Seconds of processor time, the least of two tries."""
    tries = []
    for _ in range(2):
        start = time.process_time()
        work(text)
        tries.append(time.process_time() - start)
    return min(tries)


def all_rules(text: str) -> None:
    refuse(text)
    neutralise(text)
    redact(text)


def grows_in_step(unit: str, work: Callable[[str], object]) -> bool:
    """Sixteen times the text takes nowhere near 256 times as long."""
    text = unit * (SMALL * TIMES // len(unit) + 1)
    small = cost_s(work, text[:SMALL])
    large = cost_s(work, text[: SMALL * TIMES])
    return large < max(small, 0.001) * 4 * TIMES


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_text_of_one_prefix_takes_time_in_step_with_its_length(prefix: str) -> None:
    assert grows_in_step(prefix, all_rules)


PAIRS = [(first, PREFIXES[(place * 7 + 3) % len(PREFIXES)]) for place, first in enumerate(PREFIXES)]


@pytest.mark.parametrize("pair", PAIRS, ids=repr)
def test_a_text_of_two_prefixes_in_turn_takes_time_in_step_with_its_length(pair: tuple[str, str]) -> None:
    assert grows_in_step("".join(pair), has_secret)


@settings(max_examples=15)
@given(st.lists(st.sampled_from(PREFIXES) | st.text(max_size=4), min_size=1, max_size=5).map("".join))
def test_a_text_of_any_prefix_takes_time_in_step_with_its_length(unit: str) -> None:
    assume(unit)
    assert grows_in_step(unit, redact)


@given(st.lists(st.sampled_from(PREFIXES) | st.text(max_size=4), min_size=1, max_size=4).map("".join))
def test_all_views_together_are_a_bounded_number_of_texts_no_longer_than_the_text(unit: str) -> None:
    """Work counted and not timed: however an encoding nests, its views do not multiply."""
    text = (unit * (400 // max(1, len(unit)) + 1))[:400]
    found = list(views(text))
    longest = 3 * len(text)  # folding one character gives three at most
    assert max(len(view.text) for view in found) <= 2 * longest
    assert sum(len(view.text) for view in found) <= 80 * longest
