from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tools.fuzz.mutation import LONGEST, LONGEST_BLOWN, mutated

SEEDS = (b'{"a":1}', b"", b"x" * 100)
WORDS = (b"word", b"\xff")


def inputs(seed: int, count: int) -> list[bytes]:
    chance = Random(seed)
    return [mutated(chance, SEEDS, WORDS) for _ in range(count)]


@given(st.integers(0, 1_000_000))
def test_the_same_seed_gives_the_same_inputs(seed: int) -> None:
    assert inputs(seed, 5) == inputs(seed, 5)


def test_inputs_differ_and_are_bounded() -> None:
    made = inputs(1, 3_000)
    assert len(set(made)) > 2_000
    assert max(map(len, made)) <= LONGEST_BLOWN
    assert sum(len(each) > LONGEST for each in made) < len(made) / 50


def test_words_and_pieces_of_the_seeds_are_among_them() -> None:
    made = b"".join(inputs(2, 500))
    assert b"word" in made
    assert b'{"a":' in made


def test_no_seed_at_all_is_enough() -> None:
    chance = Random(3)
    assert any(mutated(chance, (), ()) for _ in range(50))
