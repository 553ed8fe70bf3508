"""Turns as ranges: the same as a set of them."""

from __future__ import annotations

import itertools
import json

from hypothesis import given
from hypothesis import strategies as st

from bxcore.turn_sets import TurnSet


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 12)), max_size=40))
def test_it_holds_what_a_set_holds(added: list[tuple[str, int]]) -> None:
    turns: TurnSet[str] = TurnSet()
    for log, turn in added:
        turns.add(log, turn)
    assert sorted(turns) == sorted(set(added))
    for log in "abc":
        for turn in range(14):
            assert turns.has(log, turn) == ((log, turn) in added)
    again = TurnSet.of(json.loads(json.dumps(list(turns.ranges()))))
    assert sorted(again) == sorted(set(added))
    for _, ranges in turns.ranges():
        assert all(one[1] + 1 < other[0] for one, other in itertools.pairwise(ranges))


def test_turns_in_order_take_one_range() -> None:
    turns: TurnSet[str] = TurnSet()
    for turn in (*range(1, 500), *range(900, 499, -1)):
        turns.add("a", turn)
    assert dict(turns.ranges()) == {"a": [[1, 900]]}
