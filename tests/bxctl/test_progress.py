"""Progress is said from time to time, and never where nobody waits for it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxctl import progress
from bxctl.progress import EVERY_S, Progress

Out = pytest.CaptureFixture[str]


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_it_is_said_every_few_seconds(capsys: Out) -> None:
    clock = Clock()
    progress = Progress("imported", 40_000, clock)
    for _ in range(8):
        clock.now_s += EVERY_S / 2
        progress.add(5_000)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [f"imported {each} of 40,000" for each in ("10,000", "20,000", "30,000")]


def test_what_is_over_soon_says_nothing(capsys: Out) -> None:
    clock = Clock()
    progress = Progress("imported", 10, clock)
    for _ in range(10):
        clock.now_s += EVERY_S / 11
        progress.add(1)
    assert capsys.readouterr() == ("", "")


@given(st.lists(st.tuples(st.integers(0, 50), st.floats(0, 9)), max_size=30))
def test_it_counts_up_to_what_there_is_and_leaves_time_between(steps: list[tuple[int, float]]) -> None:
    said: list[tuple[float, str]] = []
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "talk", lambda text: said.append((clock.now_s, text)))
        counter = Progress("seen", sum(more for more, _ in steps), clock)
        for more, wait_s in steps:
            clock.now_s += wait_s
            counter.add(more)
    done = [int(text.split()[1]) for _, text in said]
    assert done == sorted(done)
    assert all(count < sum(more for more, _ in steps) for count in done)
    at = [100.0, *(at_s for at_s, _ in said)]
    assert all(later - earlier >= EVERY_S for earlier, later in pairwise(at))
