from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.delivery_marks import Erased, Fate, Key, Mark, Marks, dump, parse

keys = st.builds(
    Key,
    session=st.text(max_size=9),
    log=st.text(max_size=4),
    turn=st.integers(1, 9),
    generation=st.integers(0, 3),
)
marks = st.one_of(
    st.builds(
        Mark,
        key=keys,
        fate=st.sampled_from(Fate),
        why=st.text(max_size=9),
        workspace=st.text(max_size=5),
        at=st.text(max_size=5),
    ),
    st.builds(Erased, st.text(max_size=5)),
)
KEY = Key("k3f", "l", 4)


@given(marks)
def test_what_is_dumped_is_read_again(mark: Mark | Erased) -> None:
    assert parse(dump(mark)) == mark
    assert dump(mark).isascii()


@pytest.mark.parametrize(
    ("line", "fate"),
    [
        ('{"session":"k3f","turn":1}', Fate.DELIVERED),
        ('{"session":"k3f","turn":1,"gave_up":"422, refused"}', Fate.DROPPED),
    ],
)
def test_a_mark_of_before_is_read(line: str, fate: Fate) -> None:
    mark = parse(line)
    assert isinstance(mark, Mark)
    assert (mark.key, mark.fate) == (Key("k3f", "", 1), fate)


@pytest.mark.parametrize("line", ["{}", "[]", '{"session":"a"}', '{"session":"a","turn":1,"is":"?"}', "x"])
def test_what_is_no_mark_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(line)


def known(*fates: Fate) -> Marks:
    return Marks.of(Mark(key=KEY, fate=fate) for fate in fates)


def test_a_turn_waits_until_it_is_delivered_parked_or_dropped() -> None:
    assert known().waits(KEY)
    assert not known(Fate.DELIVERED).waits(KEY)
    assert not known(Fate.PARKED).waits(KEY)
    assert not known(Fate.DROPPED).waits(KEY)


def test_a_parked_turn_waits_again_when_it_is_retried() -> None:
    assert known(Fate.PARKED, Fate.RETRIED).waits(KEY)
    assert known(Fate.PARKED, Fate.RETRIED).parked == {}


def test_a_turn_of_another_log_or_generation_is_another_turn() -> None:
    delivered = known(Fate.DELIVERED)
    assert delivered.waits(KEY._replace(log="other"))
    assert delivered.waits(KEY._replace(generation=1))


def test_a_dropped_turn_stays_dropped_when_its_session_is_sent_anew() -> None:
    assert not known(Fate.DROPPED).waits(KEY._replace(generation=1))
    assert known(Fate.DROPPED).waits(KEY._replace(log="other"))


def test_an_order_that_was_carried_out_is_known() -> None:
    assert Marks.of([Erased("e1")]).erased == {"e1"}


def test_an_id_is_the_session_and_the_turn() -> None:
    assert KEY.id == "k3f.4"
