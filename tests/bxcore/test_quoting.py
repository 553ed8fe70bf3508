from __future__ import annotations

import re

import pytest

from bxcore.quoting import MARK, MAX_QUOTE, MAX_QUOTES, UNMARK, Candidate, Passage, best, quote

WANTED = ("spare", "key")


def said(text: str, *, peer: str = "owner", order: int = 1, by_agent: bool = False) -> Candidate:
    """A message with the words wanted marked in their forms, as the index does."""
    marked = re.sub(r"(?i)\b(spares?|keys?)\b", f"{MARK}\\1{UNMARK}", text)
    return Candidate(
        peer=peer, said_on=f"2026-11-{order:02d}T10:00:00Z", order=order, marked=marked, by_agent=by_agent
    )


def texts(*candidates: Candidate) -> list[str]:
    return [passage.text for passage in best(WANTED, candidates)]


def test_a_passage_is_quoted_with_who_said_it_and_when() -> None:
    passages = best(WANTED, [said("Remember: the spare key is in the blue tin.")])
    assert quote(passages) == 'owner said on 2026-11-01: "the spare key is in the blue tin"'


@pytest.mark.parametrize("lead", ["Remember: ", "Please remember that ", "note, ", "Don't forget: ", "FYI "])
def test_the_words_that_asked_to_remember_are_left_out_of_the_quote(lead: str) -> None:
    passage = Passage(peer="owner", day="2026-11-01", text=f"{lead}the key hangs by the door.")
    assert quote([passage]) == 'owner said on 2026-11-01: "the key hangs by the door"'


def test_a_quote_in_a_passage_does_not_end_the_quote() -> None:
    assert quote([Passage(peer="owner", day="2026-11-01", text='the tin says "tea"')]).count('"') == 2


def test_a_question_is_no_answer_to_itself() -> None:
    assert texts(said("Where is the spare key?"), said("Where is the spare key? Ask your memory.")) == []


def test_a_statement_beside_a_question_is_the_part_that_is_quoted() -> None:
    assert texts(said("Is it late? The spare key is in the tin.")) == ["The spare key is in the tin."]


def test_what_covers_more_of_the_question_is_chosen() -> None:
    assert texts(said("The key of C is easy."), said("The spare key is in the tin.")) == [
        "The spare key is in the tin."
    ]


def test_half_of_the_question_is_enough_when_nothing_says_more() -> None:
    assert texts(said("The key of C is easy.")) == ["The key of C is easy."]


def test_less_than_half_of_a_question_is_not_about_it() -> None:
    assert best(("spare", "attic", "ladder", "paint"), [said("A spare wheel.")]) == []


def test_forms_of_a_word_count_as_the_word() -> None:
    assert texts(said("The spares keys hang by the door.")) == ["The spares keys hang by the door."]


def test_the_newest_of_equals_comes_first() -> None:
    assert texts(
        said("The spare key is in the tin.", order=1), said("The spare key is under the mat.", order=2)
    ) == ["The spare key is under the mat.", "The spare key is in the tin."]


def test_what_the_agent_said_counts_only_where_nobody_else_said_anything() -> None:
    mine = said("The spare key is in a red box.", peer="boxmaker", order=2, by_agent=True)
    told = said("The spare key is in the blue tin.")
    assert texts(mine, told) == ["The spare key is in the blue tin."]
    assert texts(mine) == ["The spare key is in a red box."]


def test_an_echo_is_not_quoted_again() -> None:
    assert texts(
        said("The spare key is in the blue tin."), said("So, the spare key is in the BLUE tin", order=2)
    ) == ["So, the spare key is in the BLUE tin"]


def test_at_most_three_are_quoted() -> None:
    places = ["tin", "box", "drawer", "hall", "shed"]
    found = texts(*(said(f"A spare key is in the {place}.", order=n) for n, place in enumerate(places, 1)))
    assert len(found) == MAX_QUOTES


def test_what_follows_is_quoted_as_far_as_there_is_room() -> None:
    assert texts(said("About the spare key. It is in the tin. " + "More. " * 100))[0].startswith(
        "About the spare key. It is in the tin. More."
    )


def test_of_one_long_sentence_the_part_around_the_words_is_quoted() -> None:
    [text] = texts(said("word " * 200 + "the spare key is in the tin " + "word " * 200))
    assert len(text) <= MAX_QUOTE
    assert "the spare key is in the tin" in text
    assert MARK not in text


def test_nothing_found_is_no_answer() -> None:
    assert best(WANTED, []) == []
    assert best((), [said("The spare key.")]) == []
