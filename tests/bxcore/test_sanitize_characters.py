"""Which characters a text may not hold (spec 1.7)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.sanitize import refuse

REFUSED = {
    "control": ["\x00", "\x07", "\x0b", "\x0c", "\r", "\x1b", "\x7f", "\x80", "\x85", "\x9f"],
    "invisible": [
        *("\u00ad", "\u034f", "\u061c", "\u115f", "\u1160", "\u17b4", "\u180e", "\u200b", "\u200c", "\u200d"),
        *("\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2060", "\u2064", "\u2066", "\u2069"),
        *("\u206f", "\u2800", "\u3164", "\ufe00", "\ufe0f", "\ufeff", "\uffa0", "\ufff9", "\ufffb"),
        *("\U0001d173", "\U000e0001", "\U000e0020", "\U000e0041", "\U000e007f", "\U000e0100", "\U000e01ef"),
        "\U000e0fff",
    ],
    "private-use": ["\ue000", "\uf8ff", "\U000f0000", "\U000ffffd", "\U00100000", "\U0010fffd"],
    "noncharacter": ["\ufdd0", "\ufdef", "\ufffe", "\uffff", "\U0001fffe", "\U0010ffff", "\ud800", "\udfff"],
}
ORDER = ["control", "invisible", "private-use", "noncharacter", "secret-github", "tag"]
SAMPLES = {
    **{rule: found[0] for rule, found in REFUSED.items()},
    "secret-github": "ghp_" + "a" * 36,
    "tag": "<s>",
}


def rule_of(text: str) -> str | None:
    refusal = refuse(text)
    return refusal.rule if refusal else None


@pytest.mark.parametrize(("rule", "character"), [(rule, each) for rule in REFUSED for each in REFUSED[rule]])
def test_a_character_that_no_text_may_hold_is_refused_anywhere(rule: str, character: str) -> None:
    for text in (character, f"a{character}b", f"{character}a", f"a {character}"):
        assert rule_of(text) == rule


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_the_first_rule_in_their_order_is_named_wherever_it_is_broken(first: int) -> None:
    assert rule_of(" ".join(SAMPLES[rule] for rule in reversed(ORDER[first:]))) == ORDER[first]


ORDINARY = [
    "plain text,\nwith lines\tand tabs",
    "naïve café, Ærøskøbing, Straße",
    "Привет, мир! Θάλασσα. שלום עולם",
    "می‌خواهم بروم",  # a zero-width non-joiner between Persian letters
    "क्‍ष और न्‍",  # a joiner after an Indic virama
    "ശ്രീ അവന്‍",
    "你好,世界。葛󠄀城市 日本語テキスト 한국어",
    "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ᠌",
    "☀️ ❤️ ✈︎ 1️⃣ #️⃣ ‼️ ™️",
    "👨‍👩‍👧 👩🏽‍🚀 🏳️‍🌈 🧑‍🤝‍🧑 🇳🇴 ❤️‍🔥",
    "∑ √2 ≠ ±1 — “quotes” … € £ ©",
    "a + b < c, d > e; x | y; [1] and [2]; # heading; / path",
    "\ufffd is the replacement character, \ufffc the object",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_of_every_script_is_let_through(text: str) -> None:
    assert rule_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "a\u200db",
        "a\u200cb",
        "\u200d👧",
        "👨\u200da",
        "👨\u200c👩",
        "ن\u200c\u200cن",
        "a\ufe0f",
        "☀\ufe0f\ufe0f",
        " \ufe0f",
        "☀\ufe01",
        "字\U000e0100\U000e0101",
        "a\U000e0100",
        "a\u180b",
    ],
)
def test_a_joiner_or_selector_that_joins_and_selects_nothing_is_refused(text: str) -> None:
    assert rule_of(text) == "invisible"


@given(st.characters(categories=["Cc", "Co", "Cs"]))
def test_every_control_private_and_half_character_is_refused(character: str) -> None:
    assert (rule_of(character) is None) == (character in "\n\t")


@given(st.characters(categories=["L", "N", "P", "S"]))
def test_every_letter_number_and_sign_that_shows_is_let_through(character: str) -> None:
    shown = "ᅟᅠㅤﾠ⠀"  # letters and a sign by category, and blank all the same
    assert (rule_of(character) is None) == (character not in shown)
    assert unicodedata.category(character)[0] in "LNPS"


@given(st.text())
def test_a_sentence_quotes_nothing_of_the_text(text: str) -> None:
    refusal = refuse(text + "\r")
    assert refusal is not None
    assert refusal.sentence == (
        "the text holds a control character; leave it out, and end lines with a line feed"
    )
