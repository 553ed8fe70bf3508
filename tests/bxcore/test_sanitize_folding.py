# ruff: noqa: RUF001  # look-alike characters are the subject

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from bxcore.sanitize.folding import folded, origins


@given(st.text())
def test_each_character_of_the_view_comes_from_one_of_the_text(text: str) -> None:
    view, places = folded(text), origins(text)
    assert len(view) == len(places)
    assert places == sorted(places)
    for place, character in zip(places, view, strict=True):
        assert character in unicodedata.normalize("NFKC", text[place]) + text[place]


@given(st.text("ascii letters, digits 0123456789 and $igns!<|>[]"))
def test_plain_text_is_its_own_view(text: str) -> None:
    assert folded(text) == text


def test_compatibility_forms_are_folded_and_invisible_characters_gone() -> None:
    assert folded("ａ＜｜ﬁ①") == "a<|fi1"
    assert folded("a\u200bb\x00c\ufe0fd\U000e0041e\ud800f") == "abcdef"


def test_white_space_and_line_ends_stay() -> None:
    assert folded("a\r\n\t\x0b\x0c\x1c\x85\u2028b") == "a\r\n\t\x0b\x0c\x1c\x85\u2028b"


def test_more_characters_than_the_table_remembers_are_folded_the_same() -> None:
    text = "".join(chr(code) for code in range(0x3400, 0x3400 + 50_000) if not 0xD800 <= code < 0xF900)
    assert folded(text + "ａ") == folded(text) + "a"
    assert len(origins(text)) == len(folded(text))


def test_a_view_is_at_most_three_times_as_long_as_its_text() -> None:
    assert folded("ﷺ⑽") == "ﷺ⑽"
    assert folded("ﬃ㎞") == "ffikm"
