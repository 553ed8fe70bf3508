from __future__ import annotations

import pytest

from bxcore.recall_facts import RecallFacts


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (RecallFacts(), "0 turns, 0 notes, 0.0 MB"),
        (RecallFacts(turns=1, notes=1, disk_bytes=60_000), "1 turn, 1 note, 0.1 MB"),
        (RecallFacts(turns=12_345, disk_bytes=1_234_000_000), "12,345 turns, 0 notes, 1,234.0 MB"),
        (RecallFacts(turns=9, left_out=1_200), "9 turns, 0 notes, 0.0 MB; the oldest 1,200 turns left out"),
        (RecallFacts(missing=740, of=1234), "taking in what was said, 40 % of 1,234 sessions"),
        (RecallFacts(missing=1, of=1), "taking in what was said, 0 % of 1 session"),
    ],
)
def test_one_line_says_how_it_is(facts: RecallFacts, text: str) -> None:
    assert facts.text == text
    assert facts.ok


def test_an_index_that_cannot_be_used_says_why_before_all_else() -> None:
    facts = RecallFacts(turns=3, missing=2, of=4, problem="the recall index cannot be used: disk full")
    assert (facts.ok, facts.text) == (False, "the recall index cannot be used: disk full")
