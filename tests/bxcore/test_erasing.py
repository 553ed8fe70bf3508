from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.erasing import CarriedOut, EraseOrder, Order, Orders, ScrubOrder, dump, parse

turns = st.none() | st.lists(st.integers(1, 99), max_size=5).map(tuple)
orders = st.builds(
    EraseOrder,
    id=st.text(max_size=9),
    at=st.text(max_size=9),
    session=st.text(max_size=9),
    log=st.text(),
    turns=turns,
)

scrubs = st.builds(
    ScrubOrder,
    id=st.text(max_size=9),
    at=st.text(max_size=9),
    places=st.lists(
        st.tuples(st.integers(1), st.sampled_from(["added", "removed", "lifted"]), st.integers(0)), max_size=4
    ).map(tuple),
    files=st.lists(st.text(), max_size=3).map(tuple),
)


def order(number: int, turns: tuple[int, ...] | None, log: str = "l") -> EraseOrder:
    return EraseOrder(id=f"e{number}", at="", session="k3f", log=log, turns=turns)


@given(orders | scrubs | st.builds(CarriedOut, st.text(max_size=9)))
def test_what_is_dumped_is_read_again(found: Order | CarriedOut) -> None:
    assert parse(dump(found)) == found


@pytest.mark.parametrize(
    "line", ["{}", "[]", '{"id":1}', "nonsense", '{"id":"a","at":"","places":[[1]],"files":[]}']
)
def test_what_is_no_order_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(line)


def test_an_order_covers_its_turns_of_its_log_alone() -> None:
    found = Orders([order(1, (2, 3))])
    assert [turn for turn in range(1, 6) if found.forgotten("k3f", "l", turn)] == [2, 3]
    assert not found.forgotten("k3f", "other", 2)
    assert not found.forgotten("other", "l", 2)


def test_an_order_without_turns_covers_the_whole_log() -> None:
    found = Orders([order(1, None)])
    assert found.forgotten("k3f", "l", 77)
    assert not found.forgotten("k3f", "begun anew", 77)


def test_each_order_gives_what_is_left_of_the_session_a_new_name() -> None:
    assert Orders().generation("k3f") == 0
    found = Orders([order(1, (1,)), order(2, (2,), log="m")])
    assert (found.generation("k3f"), found.generation("other")) == (2, 0)
