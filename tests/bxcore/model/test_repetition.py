from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.model.repetition import LONGEST, LOOK, TAIL, Circles, goes_round

LIST = "\n".join(f"{number}. a line of a long list, each another one" for number in range(200))


@pytest.mark.parametrize("piece", ["a", "\n", "I am sorry. ", "x" * (LONGEST - 1) + "y"])
def test_one_piece_again_and_again_goes_round(piece: str) -> None:
    assert goes_round("At first it was fine. " + piece * (TAIL // len(piece) + 1))


@pytest.mark.parametrize(
    "text",
    [
        "a" * (TAIL - 1),
        LIST,
        ("x" * LONGEST + "y") * 20,
        "a" * TAIL + "b",
        "",
    ],
)
def test_a_short_or_varied_text_does_not(text: str) -> None:
    assert not goes_round(text)


def test_a_text_in_pieces_is_looked_at_every_now_and_then() -> None:
    circles = Circles()
    assert not any(circles.feed(LIST[at : at + 7]) for at in range(0, len(LIST), 7))
    fed = 0
    while not circles.feed("la "):
        fed += 3
        assert fed < TAIL + 2 * LOOK
    assert fed >= TAIL - 3


@given(st.text(min_size=1, max_size=LONGEST), st.integers(0, LONGEST))
def test_whatever_repeats_is_found_wherever_it_is_cut(piece: str, cut: int) -> None:
    text = piece * (2 * TAIL // len(piece) + 1)
    assert goes_round(text[: len(text) - cut])


def test_a_look_costs_little_for_the_worst_text() -> None:
    circles = Circles()
    began = time.process_time()
    for _ in range(1000):
        circles.feed("a" * 299 + "b" + "a" * 300 + "c")
    assert time.process_time() - began < 5
