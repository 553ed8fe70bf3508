"""The text rules take time in step with a text's length, whatever it is made of (spec 1.7)."""

# ruff: noqa: RUF001  # look-alike characters are the subject

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from bxcore.sanitize import has_secret, neutralise, redact, refuse

SMALL = 6_250
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
    has_secret(text)
    neutralise(text)
    redact(text)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_sixteen_times_the_text_takes_nowhere_near_256_times_as_long(prefix: str) -> None:
    text = prefix * (SMALL * TIMES // len(prefix) + 1)
    small = cost_s(all_rules, text[:SMALL])
    large = cost_s(all_rules, text[: SMALL * TIMES])
    assert large < max(small, 0.0005) * 64
