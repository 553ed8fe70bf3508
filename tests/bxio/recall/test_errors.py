from __future__ import annotations

from bxio.recall.errors import RecallIndexError


def test_an_error_says_whether_the_index_is_to_be_made_anew() -> None:
    assert not RecallIndexError("the disk is full").damaged
    assert RecallIndexError("it is damaged", damaged=True).sentence == "it is damaged"
    assert RecallIndexError("it is damaged", damaged=True).damaged
