"""The two ends that no server gives."""

from __future__ import annotations

from bxio.fetch.errors import late, stopped


def test_a_deadline_says_what_was_waited_for_and_what_to_do() -> None:
    assert late("looking up example.org").sentence == "looking up example.org took too long; try again later"


def test_a_cut_says_that_it_was_no_fault_of_the_page() -> None:
    assert stopped().sentence == "the fetch was stopped"
