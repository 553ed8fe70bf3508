from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.model.repair import MARKS
from bxcore.model.shown_text import ShownText


def shown(pieces: list[str], *, json_profile: bool) -> list[str]:
    way = ShownText(json_profile=json_profile)
    return [way.feed(piece) for piece in pieces]


def cut(data: st.DataObject, text: str) -> list[str]:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@given(data=st.data(), text=st.text(), as_ascii=st.booleans())
def test_a_reply_is_shown_whole_however_it_is_cut(data: st.DataObject, text: str, *, as_ascii: bool) -> None:
    whole = json.dumps({"reply": text}, ensure_ascii=as_ascii)
    assert "".join(shown(cut(data, whole), json_profile=True)) == text


def test_words_are_shown_as_they_come() -> None:
    assert shown(['{"re', 'ply": "It', " is fo", 'ur."}'], json_profile=True) == ["", "It", " is fo", "ur."]


def test_half_an_escape_waits_for_the_other_half() -> None:
    pieces = ['{"reply":"a\\', "n\\ud83d", "\\ude0", '0b"}']
    assert shown(pieces, json_profile=True) == ["a", "\n", "", "\U0001f600b"]


def test_a_lone_half_of_a_character_is_shown_as_replaced() -> None:
    assert "".join(shown(['{"reply":"\\udc00x"}'], json_profile=True)) == "�x"


@pytest.mark.parametrize(
    "text", ['{"tool":"clock","args":{}}', '{"replies":"x"}', '{"a":{"reply":"x"}}', "{}"]
)
def test_any_other_json_is_not_shown(text: str) -> None:
    assert "".join(shown([*text], json_profile=True)) == ""


def test_what_stands_behind_the_reply_is_not_shown() -> None:
    assert "".join(shown(['{"reply":"x"', ', "y": "z"}'], json_profile=True)) == "x"


def test_a_json_model_that_writes_plain_text_is_shown() -> None:
    assert shown(["  ", "It is", " four."], json_profile=True) == ["", "  It is", " four."]


def test_plain_text_is_shown_as_it_comes() -> None:
    assert shown(["It is", " four."], json_profile=False) == ["It is", " four."]


@pytest.mark.parametrize("mark", MARKS)
def test_a_call_in_the_text_is_held_back_from_its_first_letter(mark: str) -> None:
    assert "".join(shown([*f"Let me see. {mark}clock"], json_profile=False)) == "Let me see. "


def test_a_letter_that_only_looks_like_a_mark_is_shown_later() -> None:
    assert shown(["a <too", " small"], json_profile=False) == ["a ", "<too small"]


@pytest.mark.parametrize("text", ['{"name": "clock"}', "```json\n{}\n```", '[{"name": 1}]', " \n{"])
def test_a_text_that_may_be_a_call_as_a_whole_waits(text: str) -> None:
    assert "".join(shown([*text], json_profile=False)) == ""


@pytest.mark.parametrize("text", ["```python\nx\n```", "[1] and [2]", "(a)"])
def test_a_text_that_only_begins_like_one_is_shown(text: str) -> None:
    assert "".join(shown([*text], json_profile=False)) == text


@given(
    st.data(),
    st.lists(st.sampled_from(["<", "tool_call", ">", "a", " ", "[", "TOOL_CALLS", "]"])).map("".join),
)
def test_what_is_shown_is_always_the_beginning_of_the_text(data: st.DataObject, text: str) -> None:
    assert text.startswith("".join(shown(cut(data, text), json_profile=False)))
