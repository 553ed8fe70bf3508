from __future__ import annotations

from bxcore.did_you_mean import hint, nearest

KNOWN = ["url", "name", "max_rounds", "Fleet"]


def test_the_nearest_name_is_found() -> None:
    assert nearest("ulr", KNOWN) == "url"
    assert nearest("maxrounds", KNOWN) == "max_rounds"


def test_case_does_not_count_and_the_known_spelling_is_given() -> None:
    assert nearest("FLEET", KNOWN) == "Fleet"


def test_a_far_name_has_no_neighbour() -> None:
    assert nearest("zebra", KNOWN) is None
    assert nearest("", KNOWN) is None


def test_a_hint_stands_after_a_sentence_or_is_nothing() -> None:
    assert hint("nmae", KNOWN) == "; did you mean name?"
    assert hint("zebra", KNOWN) == ""


def test_of_a_very_long_name_only_the_beginning_counts() -> None:
    assert nearest("x" * 1_000_000, KNOWN) is None
    assert nearest("max_rounds" + " " * 6, KNOWN) == "max_rounds"
