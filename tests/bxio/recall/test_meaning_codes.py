from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bxio.recall import meaning_codes
from bxio.recall.meaning_codes import Codes

DIMENSIONS = 128


def vectors(count: int, seed: int = 1) -> NDArray[np.float32]:
    """Rows of length 1."""
    made = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    scaled: NDArray[np.float32] = made / np.linalg.norm(made, axis=1)[:, None]
    return scaled


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning_codes, "BLOCK", 16)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=6), st.sets(st.integers(1, 200)))
def test_what_is_held_is_what_was_added_without_what_was_removed(parts: list[int], gone: set[int]) -> None:
    codes, places = Codes(DIMENSIONS), list(range(3, 3 + sum(parts)))
    start = 0
    for size in parts:
        codes.add(places[start : start + size], vectors(size))
        start += size
    codes.remove(sorted(gone))
    kept = set(places) - gone
    assert len(codes) == len(kept)
    assert set(codes.nearest(vectors(1)[0], 1_000)) == kept


def test_the_nearest_is_among_the_few() -> None:
    every = vectors(500)
    codes = Codes(DIMENSIONS)
    codes.add(range(1, 501), every)
    for place in (1, 77, 500):
        assert place in codes.nearest(every[place - 1], 3)


def test_the_question_s_numbers_tell_codes_apart_that_differ_in_as_many_bits() -> None:
    """The first differs where the question is weak, the second where it is strong."""
    asked = np.ones(DIMENSIONS, np.float32)
    asked[:8] = 0.01
    weak, strong = np.ones((2, DIMENSIONS), np.float32)
    weak[:8] = -1
    strong[-8:] = -1
    codes = Codes(DIMENSIONS)
    codes.add([1, 2], np.stack([strong, weak]))
    assert codes.nearest(asked, 1) == [2]


def test_only_the_nearest_by_bits_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning_codes, "WEIGHED", 5)
    every = vectors(300)
    codes = Codes(DIMENSIONS)
    codes.add(range(1, 301), every)
    apart = ((every > 0) != (every[41] > 0)).sum(axis=1)
    found = codes.nearest(every[41], 100)
    assert 42 in found
    assert 5 <= len(found) < 20
    assert max(apart[place - 1] for place in found) <= sorted(apart)[5]


@given(st.sets(st.integers(1, 80)))
def test_among_some_only_those_are_found(among: set[int]) -> None:
    codes = Codes(DIMENSIONS)
    codes.add(range(1, 51), vectors(50))
    assert set(codes.nearest(vectors(1)[0], 100, sorted(among))) == among & set(range(1, 51))


def test_nothing_is_nearest_to_nothing() -> None:
    codes = Codes(DIMENSIONS)
    assert codes.nearest(vectors(1)[0], 10) == []
    assert codes.nearest(vectors(1)[0], 10, [1]) == []
    codes.remove([1])
    assert len(codes) == 0
