from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from bxcore import recall_query


@dataclass(frozen=True)
class Hit:
    score: float
    place: int


def test_a_question_is_looked_up_by_its_telling_words() -> None:
    assert recall_query.terms("Where is the spare key?") == ("spare", "key")
    assert recall_query.match_expression("Where is the spare key?") == '"spare" OR "key"'


def test_a_question_mark_alone_changes_nothing() -> None:
    assert recall_query.terms("saffron?") == recall_query.terms("saffron") == ("saffron",)


def test_a_question_of_stop_words_only_is_looked_up_as_it_is() -> None:
    assert recall_query.terms("who is it?") == ("who", "is", "it")


def test_a_query_without_a_word_has_nothing_to_look_up() -> None:
    assert recall_query.match_expression("?! … §") is None


def test_a_word_counts_once_and_at_most_64_words_count() -> None:
    assert recall_query.terms("tin Tin TIN") == ("tin",)
    assert len(recall_query.terms(" ".join(f"w{n}" for n in range(200)))) == 64


@given(st.text())
def test_no_query_is_bad_full_text_syntax(query: str) -> None:
    expression = recall_query.match_expression(query)
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE words USING fts5 (text)")
    if expression is not None:
        db.execute("SELECT * FROM words WHERE words MATCH ?", (expression,)).fetchall()
    db.close()


def test_of_two_equal_hits_the_newer_is_first() -> None:
    old, new = Hit(2.0, 1), Hit(2.0, 100)
    assert recall_query.balanced([old, new], newest=100) == [new, old]


def test_a_much_better_old_hit_stays_before_a_new_one() -> None:
    old, new = Hit(3.0, 1), Hit(2.0, 100)
    assert recall_query.balanced([new, old], newest=100) == [old, new]


def test_a_question_tells_what_is_meant_by_one_word_that_is_no_stop_word() -> None:
    assert recall_query.tells("Who is IT? Anna")
    assert not recall_query.tells("WHO is it?")
    assert not recall_query.tells("?!")
