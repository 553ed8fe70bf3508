from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore import honcho_text

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


@given(ANY_TEXT)
def test_sendable_text_can_always_be_encoded_and_holds_no_nul(text: str) -> None:
    sent = honcho_text.sendable(text)
    sent.encode()
    assert "\0" not in sent


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_ordinary_text_comes_back_unchanged(text: str) -> None:
    assert honcho_text.sendable(text) == text


def test_a_lone_surrogate_is_replaced_and_a_nul_dropped() -> None:
    assert honcho_text.sendable("a\ud800b\0c") == "a\N{REPLACEMENT CHARACTER}bc"


def test_a_query_is_cut_to_what_the_server_takes() -> None:
    assert len(honcho_text.query("x" * 10_001)) == 10_000
    assert len(honcho_text.query("\0" + "x" * 10_000)) == 10_000


def test_a_search_loses_the_punctuation_at_its_end_alone() -> None:
    assert honcho_text.search_query("the v1.2 key?! ") == "the v1.2 key"
