"""The newest turns are scored as a search index would score them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.recall_tail import Elsewhere, Tail

texts = st.lists(st.lists(st.sampled_from("abcd"), max_size=6), max_size=8)


def tail(*texts: str) -> Tail:
    made = Tail()
    for place, text in enumerate(texts, 1):
        made.add(place, f"s{place}", text.split(), shy=text.startswith("shy"))
    return made


def best(
    of: Tail,
    *words: str,
    without: str = "",
    trusted_only: bool = False,
    elsewhere: Elsewhere | None = None,
) -> list[int]:
    found = of.best(words, elsewhere or Elsewhere(), without=without, trusted_only=trusted_only)
    assert all(score > 0 for _, score in found)
    return [place for place, _ in found]


def test_what_holds_more_of_the_words_is_first() -> None:
    assert best(tail("a b", "a b c", "d"), "b", "c") == [2, 1]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    assert best(tail("a x", "a y", "a z", "b z"), "a", "b")[0] == 4
    often = {"a": 900, "b": 1}
    assert best(tail("a", "b"), "a", "b", elsewhere=Elsewhere(1000, 1000, often.__getitem__)) == [2, 1]


def test_a_short_text_with_the_word_is_before_a_long_one() -> None:
    assert best(tail("a b c d e f g h", "a b"), "a") == [2, 1]


def test_a_session_and_what_would_taint_can_be_left_out() -> None:
    assert best(tail("a", "shy a", "a"), "a", without="s1") == [3, 2]
    assert best(tail("a", "shy a", "a"), "a", trusted_only=True) == [1, 3]


def test_what_was_dropped_is_not_found() -> None:
    made = tail("a", "a")
    made.drop([1, 7])
    assert best(made, "a") == [2]


@given(texts, st.lists(st.sampled_from("abcd"), min_size=1, max_size=3))
def test_exactly_what_holds_a_word_is_found(all_words: list[list[str]], wanted: list[str]) -> None:
    made = Tail()
    for place, words in enumerate(all_words):
        made.add(place, "s", words, shy=False)
    holding = {place for place, words in enumerate(all_words) if set(words) & set(wanted)}
    assert set(best(made, *wanted)) == holding
