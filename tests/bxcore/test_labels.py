from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.labels import NEW_SESSION, TOP, Label, Level, join

LABELS = st.builds(Label, st.sampled_from(Level), st.booleans())


def test_the_classes_are_ordered_as_numbers_and_not_as_text() -> None:
    assert Level.PUBLIC < Level.PRIVATE < Level.SECRET
    assert max(Level, key=lambda level: level.text) is Level.SECRET
    assert min(level.text for level in Level) == "private"


def test_a_class_is_read_as_it_is_written() -> None:
    assert [Level.parse(level.text) for level in Level] == list(Level)


@pytest.mark.parametrize("text", [None, "", "PUBLIC", " public", "open", 0, 1, True, b"public", ["public"]])
def test_an_unknown_empty_or_missing_class_is_secret(text: object) -> None:
    assert Level.parse(text) is Level.SECRET


@given(st.text())
def test_no_text_but_a_classs_own_name_is_below_secret(text: str) -> None:
    assert Level.parse(text) is Level.SECRET or text in {"public", "private"}


def test_a_label_that_is_not_given_is_the_top() -> None:
    assert Label() == TOP == Label(Level.SECRET, untrusted=True)


def test_a_session_starts_private_and_trusted() -> None:
    assert Label(Level.PRIVATE, untrusted=False) == NEW_SESSION


@given(st.lists(LABELS, min_size=1))
def test_a_join_has_the_highest_class_and_is_untrusted_if_any_is(labels: list[Label]) -> None:
    assert join(*labels).level == max(label.level for label in labels)
    assert join(*labels).untrusted is any(label.untrusted for label in labels)


@given(LABELS, LABELS, LABELS)
def test_a_join_does_not_care_for_order_grouping_or_repeats(a: Label, b: Label, c: Label) -> None:
    assert join(a, b) == join(b, a)
    assert join(join(a, b), c) == join(a, join(b, c)) == join(a, b, c)
    assert join(a, a) == join(a) == a


@given(LABELS)
def test_nothing_joined_changes_nothing_and_the_top_takes_all(label: Label) -> None:
    assert join(label, join()) == label
    assert join(label, TOP) == TOP


@given(LABELS, LABELS)
def test_a_join_never_falls(a: Label, b: Label) -> None:
    joined = join(a, b)
    assert joined.level >= a.level
    assert joined.untrusted >= a.untrusted


def test_a_label_is_shown_in_words() -> None:
    assert str(Label(Level.PRIVATE, untrusted=False)) == "private"
    assert str(TOP) == "secret, untrusted"
