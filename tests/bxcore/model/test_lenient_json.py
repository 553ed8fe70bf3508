from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.model.lenient_json import MAX_TEXT, read_object

OBJECTS = st.dictionaries(
    st.text(),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


@given(OBJECTS)
def test_sound_json_is_read_as_it_is(value: dict[str, Any]) -> None:
    assert read_object(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2, ], }', {"a": [1, 2]}),
        ('{"a": {"b": "c"', {"a": {"b": "c"}}),
        ('{"a": "b', {"a": "b"}),
        ('{"a": "x, }"}', {"a": "x, }"}),
        ('{"a": "say \\"hi\\","}', {"a": 'say "hi",'}),
        ("{'a': True, 'b': None}", {"a": True, "b": None}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}),
        ("  {}  ", {}),
    ],
)
def test_a_slip_is_mended(text: str, value: dict[str, Any]) -> None:
    assert read_object(text) == value


@pytest.mark.parametrize("text", ["", "a", "[1]", "17", '"x"', '{"a"', "{a: 1}", "{'a': {1, 2}}", "{" * 9000])
def test_what_is_not_plain_is_none(text: str) -> None:
    assert read_object(text) is None


def test_a_long_text_is_not_mended() -> None:
    assert read_object('{"a": "' + "x" * MAX_TEXT) is None


@pytest.mark.parametrize("piece", ["{", "[", '"', ",", "\\", "{'a':", " ", "'"])
def test_the_longest_text_of_one_piece_takes_little_time(piece: str) -> None:
    began = time.process_time()
    read_object("{" + piece * (MAX_TEXT // len(piece) - 1))
    assert time.process_time() - began < 2


@given(st.text(st.sampled_from("{}[]\",:\\ab1 \n'")))
def test_any_text_is_an_object_or_none(text: str) -> None:
    found = read_object(text)
    assert found is None or isinstance(found, dict)
