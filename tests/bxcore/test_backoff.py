"""The rest of a network child grows, has a limit, and is spread by chance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.backoff import Backoff, delay_s

RESTS = Backoff(first_s=0.5, most_s=20.0)
CHANCE = st.floats(min_value=0.0, max_value=1.0, exclude_max=True)


@given(st.integers(min_value=1, max_value=10_000), CHANCE)
def test_it_lies_in_the_upper_half_and_never_over_the_limit(failures: int, chance: float) -> None:
    rest_s = delay_s(RESTS, failures, chance)
    assert RESTS.first_s / 2 <= rest_s <= RESTS.most_s
    full_s = min(RESTS.first_s * 2.0 ** (min(failures, 30) - 1), RESTS.most_s)
    assert full_s / 2 <= rest_s <= full_s


@given(st.integers(min_value=1, max_value=100), CHANCE)
def test_it_never_falls_with_more_failures(failures: int, chance: float) -> None:
    assert delay_s(RESTS, failures, chance) <= delay_s(RESTS, failures + 1, chance)


@pytest.mark.parametrize(
    ("failures", "expected"), [(1, 0.25), (2, 0.5), (3, 1.0), (6, 8.0), (7, 10.0), (9, 10.0)]
)
def test_it_doubles_up_to_the_limit(failures: int, expected: float) -> None:
    assert delay_s(RESTS, failures, 0.0) == expected
