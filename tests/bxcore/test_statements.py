from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.statements import MAX_SENTENCES, sentences, statements, states


@pytest.mark.parametrize(
    "text",
    [
        "Remember: the spare key is in the blue tin.",
        "Remind me to buy milk on Friday.",
        "When it rains the cellar floods.",
        "I don't have a car.",
        "My sister lives in Bergen (Norway)",
        "Whatever happens, the key stays.",
        "Checked the boiler today.",
        "合鍵は青い缶の中です。",
    ],
)
def test_a_statement_states(text: str) -> None:
    assert states(text)


@pytest.mark.parametrize(
    "text",
    [
        "Where is the spare key?",
        "where is the spare key",
        "And where's the key",
        "Tell me where the key is.",
        "Please ask your memory about the key.",
        "How old is Anna",
        "The key is where?",
        'He asked "where?"',
        "鍵はどこですか\N{FULLWIDTH QUESTION MARK}",
        "I don't know where the spare key is.",
        "I don\N{RIGHT SINGLE QUOTATION MARK}t recall.",
        "There is no record of a spare key.",
        "I could not find the spare key.",
        "I do not have any information on that.",
    ],
)
def test_a_question_or_an_empty_handed_reply_states_nothing(text: str) -> None:
    assert not states(text)


def test_only_what_is_stated_is_left_of_a_text() -> None:
    assert statements("Hello! Where is it?\nThe key hangs by the door. Is that right?") == (
        "Hello! The key hangs by the door."
    )


def test_a_text_is_split_at_line_ends_and_sentence_ends() -> None:
    assert sentences("One. Two!\n\nThree v1.2 three") == ["One.", "Two!", "Three v1.2 three"]


@given(st.text())
def test_statements_of_statements_are_the_same(text: str) -> None:
    once = statements(text)
    assert statements(once) == once


@pytest.mark.timeout(5)
@pytest.mark.parametrize("piece", ["what ", "ask ", "tell me a ", "don't ", ". ", "\n", "where'", "(", "a"])
def test_long_texts_are_read_in_linear_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert len(sentences(text)) <= MAX_SENTENCES
    statements(text)
