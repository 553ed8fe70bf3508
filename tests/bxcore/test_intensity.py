"""The window of restarts, held to its definition over all histories."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.intensity import add_restart

TIMES = st.lists(st.floats(min_value=0.0, max_value=100.0), max_size=12).map(sorted)


@given(TIMES, st.integers(min_value=0, max_value=6), st.floats(min_value=0.1, max_value=50.0))
def test_it_is_over_when_more_than_so_many_lie_within_the_period(
    times: list[float], intensity: int, period_s: float
) -> None:
    history: tuple[float, ...] = ()
    for number, now_s in enumerate(times):
        history, over = add_restart(history, now_s, intensity=intensity, period_s=period_s)
        within = [then_s for then_s in times[: number + 1] if now_s - period_s <= then_s]
        assert list(history) == within
        assert over == (len(within) > intensity)


def test_a_restart_exactly_a_period_ago_still_counts() -> None:
    assert add_restart((0.0,), 5.0, intensity=1, period_s=5.0) == ((0.0, 5.0), True)
    assert add_restart((0.0,), 5.001, intensity=1, period_s=5.0) == ((5.001,), False)


def test_an_intensity_of_zero_is_over_at_the_first() -> None:
    assert add_restart((), 1.0, intensity=0, period_s=5.0) == ((1.0,), True)
