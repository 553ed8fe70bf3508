from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.search_terms import any_of, terms, words


def test_the_words_a_question_is_wrapped_in_are_not_looked_for() -> None:
    assert terms("Where is the spare key? Ask your memory, please.") == ("spare", "key")


def test_a_question_of_nothing_else_is_looked_up_as_it_is() -> None:
    assert terms("what do you remember?") == ("remember",)
    assert terms("who are you") == ("who", "are", "you")
    assert terms("?!") == ()


def test_a_word_is_looked_for_once() -> None:
    assert terms("Key, key; KEY") == ("key",)


def test_each_word_is_quoted_in_the_query() -> None:
    assert any_of(("near", "or"), columns="statements") == '{statements} : ("near" OR "or")'


@given(st.text())
def test_no_word_holds_what_ends_a_quote(text: str) -> None:
    assert all('"' not in word and word.strip() == word for word in (*words(text), *terms(text)))
