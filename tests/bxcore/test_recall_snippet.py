from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from bxcore.recall_snippet import ELLIPSIS, WORDS, around

LONG = " ".join(f"w{number}" for number in range(200))
words = st.lists(st.sampled_from(["key", "Keys,", "tin", "box.", "and"]), max_size=150).map(" ".join)


def test_a_short_text_is_whole() -> None:
    assert around("  the blue tin. ", ("tin",)) == "  the blue tin. "


def test_the_part_is_around_the_words() -> None:
    text = LONG.replace("w150", "saffron")
    part = around(text, ("saffron",))
    assert "saffron" in part
    assert part.startswith(ELLIPSIS)
    assert part.endswith(ELLIPSIS)
    assert "w140" in part, "it begins a little before"


def test_other_forms_of_a_word_are_taken_for_it() -> None:
    assert "markets" in around(LONG.replace("w150", "markets"), ("market",))
    assert "market" in around(LONG.replace("w150", "market"), ("markets",))


def test_without_any_of_the_words_it_is_the_beginning() -> None:
    assert around(LONG, ("nothing",)).startswith("w0 w1 ")
    assert around(LONG, ()).startswith("w0 w1 ")


def test_the_end_has_nothing_behind_it() -> None:
    part = around(LONG.replace("w199", "saffron."), ("saffron",))
    assert part.endswith("saffron.")


@given(words, st.lists(st.sampled_from(["key", "tin", "box"]), max_size=3))
def test_a_part_is_a_piece_of_the_text_and_never_too_long(text: str, terms: list[str]) -> None:
    part = around(text, terms)
    bare = part.removeprefix(f"{ELLIPSIS} ").removesuffix(f" {ELLIPSIS}")
    assert bare in text
    assert len(re.findall(r"\w+", bare)) <= WORDS
