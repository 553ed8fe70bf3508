from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.recall_fusion import FLOOR, Ranking, by_meaning, coverage, fused, twins_last

LISTS = st.lists(
    st.builds(
        Ranking,
        st.lists(st.integers(0, 30), unique=True, max_size=12),
        st.floats(0.01, 4.0),
    ),
    max_size=4,
)


@given(LISTS)
def test_every_item_of_a_list_that_counts_is_there_once(rankings: list[Ranking[int]]) -> None:
    found = fused(rankings)
    assert len(found) == len(set(found))
    assert set(found) == {item for ranking in rankings for item in ranking.items}


@given(st.lists(st.integers(), unique=True), st.floats(0.01, 4.0))
def test_one_list_keeps_its_order(items: list[int], weight: float) -> None:
    assert fused([Ranking(items, weight)]) == items


@given(LISTS, st.integers(31, 40))
def test_what_is_first_in_every_list_is_first(rankings: list[Ranking[int]], best: int) -> None:
    led = [Ranking([best, *ranking.items], ranking.weight) for ranking in rankings]
    assert fused(led)[:1] == ([best] if led else [])


@given(LISTS, st.lists(st.integers(31, 60), unique=True, max_size=5))
def test_a_list_of_no_weight_counts_for_nothing(rankings: list[Ranking[int]], items: list[int]) -> None:
    assert fused([*rankings, Ranking(items, 0.0)]) == fused(rankings)


def test_well_placed_in_both_is_before_first_in_one() -> None:
    assert fused([Ranking([1, 2]), Ranking([3, 2])])[0] == 2


def test_a_list_that_is_trusted_more_goes_before() -> None:
    assert fused([Ranking([1], 0.4), Ranking([2], 0.6)]) == [2, 1]
    assert fused([Ranking([1], 0.6), Ranking([2], 0.4)]) == [1, 2]


def test_what_means_something_else_is_not_found() -> None:
    assert by_meaning([(1, FLOOR - 0.01), (2, FLOOR), (3, -1.0)], newest=9) == [2]


def test_of_two_that_mean_the_same_the_newer_is_first() -> None:
    assert by_meaning([(1, 0.5), (900, 0.5)], newest=1000) == [900, 1]


def test_a_nearer_old_item_stays_before_a_new_one() -> None:
    assert by_meaning([(900, 0.5), (1, 0.6)], newest=1000) == [1, 900]


def test_coverage_is_the_share_of_the_asked_words() -> None:
    assert coverage(["brass", "key", "key", "shed"], ["key", "door", "brass"]) == 2 / 3
    assert coverage([], ["key"]) == 0.0


TEXTS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), max_size=10)


@given(TEXTS)
def test_twins_last_keeps_every_item_and_the_first(texts: list[list[str]]) -> None:
    items = list(range(len(texts)))
    found = twins_last(items, lambda item: texts[item], len(items))
    assert sorted(found) == items
    assert found[:1] == items[:1]
    for most in range(len(items)):
        assert twins_last(items, lambda item: texts[item], most) == found[:most]


def test_what_says_much_the_same_comes_behind() -> None:
    texts = ["the lamp is in the hall", "the lamp is in the attic", "sven owes me forty", "two words"]
    assert twins_last([0, 1, 2, 3], lambda item: texts[item].split(), 4) == [0, 2, 3, 1]


def test_texts_without_a_word_are_no_twins() -> None:
    assert twins_last([0, 1, 2], lambda item: ["a"] if item == 2 else [], 3) == [0, 1, 2]
