from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.untrusted_json import MAX_DEPTH, MAX_DIGITS, MAX_TEXT, UntrustedJsonError, read_object, read_value

NO_OBJECT = "the arguments are no JSON object; write one object, such as {}"
EMPTY = "the arguments are empty; write one JSON object, such as {}"
TOO_DEEP = "the arguments are nested deeper than 32; write them flatter"
TOO_LARGE = "a number is too large; write a smaller one"
HALF = "the arguments hold half a surrogate pair; write the whole character"
TWICE = "a key is given twice; give each key once"

REFUSED = [
    ("", EMPTY),
    (" \n\t", EMPTY),
    ("[]", NO_OBJECT),
    ("null", NO_OBJECT),
    ('"text"', NO_OBJECT),
    ("7", NO_OBJECT),
    ("true", NO_OBJECT),
    ("{", "the arguments are not valid JSON at character 2; write one JSON object"),
    ("{'a': 1}", "the arguments are not valid JSON at character 2; write one JSON object"),
    ('{"a": 1 "b"}', "the arguments are not valid JSON at character 9; write one JSON object"),
    ('{"a": tru}', "the arguments are not valid JSON at character 7; write one JSON object"),
    ('{"a": "\x01"}', "the arguments are not valid JSON at character 8; write one JSON object"),
    ('{"a": "\\x"}', "the arguments are not valid JSON at character 8; write one JSON object"),
    ('\ufeff{"a": 1}', "the arguments are not valid JSON at character 1; write one JSON object"),
    ("{} x", "text follows the JSON at character 3; write one JSON object and nothing after it"),
    ("{}{}", "text follows the JSON at character 3; write one JSON object and nothing after it"),
    ("{}}", "text follows the JSON at character 3; write one JSON object and nothing after it"),
    ('{"a": NaN}', "NaN is no JSON number; write a finite number"),
    ('{"a": Infinity}', "Infinity is no JSON number; write a finite number"),
    ('{"a": -Infinity}', "-Infinity is no JSON number; write a finite number"),
    ('{"a": 1e999}', TOO_LARGE),
    ('{"a": -1e999}', TOO_LARGE),
    ('{"a": ' + "9" * 301 + "}", TOO_LARGE),
    ('{"a": ' + "9" * 5000 + "}", TOO_LARGE),
    ('{"a": 1, "a": 1}', TWICE),
    ('{"b": {"a": 1, "\\u0061": 2}}', TWICE),
    ('{"a": "\\ud800"}', HALF),
    ('{"\\udc00": 1}', HALF),
    ('{"a": ["\\udc00\\ud800"]}', HALF),
    ('{"a": "\ud800"}', HALF),
    ('{"a": ' * 33 + "1" + "}" * 33, TOO_DEEP),
    ('{"a": ' + "[" * 32 + "]" * 32 + "}", TOO_DEEP),
    ("[" * 60_000, TOO_DEEP),
    ('{"a":' * 10_000, TOO_DEEP),
    ("{" + " " * MAX_TEXT, "the arguments have 65537 characters, over the limit of 65536; send less"),
]


@pytest.mark.parametrize(("text", "sentence"), REFUSED)
def test_what_is_no_plain_object_is_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(UntrustedJsonError) as caught:
        read_object(text)
    assert caught.value.sentence == sentence


def test_the_limits_themselves_are_taken() -> None:
    assert read_object("{" + " " * (MAX_TEXT - 2) + "}") == {}
    deep = '{"a": ' * (MAX_DEPTH - 1) + "{}" + "}" * (MAX_DEPTH - 1)
    assert read_object(deep)
    assert read_object('{"a": ' + "9" * MAX_DIGITS + "}") == {"a": int("9" * MAX_DIGITS)}
    assert read_object('{"a": 1e308}') == {"a": 1e308}


def test_the_limit_counts_characters_and_not_bytes() -> None:
    text = json.dumps({"a": "é" * (MAX_TEXT - 9)}, ensure_ascii=False)
    assert len(text) == MAX_TEXT < len(text.encode())
    assert read_object(text)


def test_another_limit_can_be_asked_for() -> None:
    text = json.dumps({"a": "x" * MAX_TEXT})
    assert read_object(text, max_text=len(text)) == {"a": "x" * MAX_TEXT}
    with pytest.raises(UntrustedJsonError):
        read_object(text, max_text=len(text) - 1)


def test_brackets_in_strings_are_no_depth() -> None:
    value = {"a": "[" * 100, "b\\": '"' + "{" * 100, "c": "\\"}
    assert read_object(json.dumps(value)) == value


def test_a_whole_surrogate_pair_is_one_character() -> None:
    assert read_object('{"a": "\\ud83d\\ude00"}') == {"a": "\U0001f600"}


def test_white_space_around_the_object_is_nothing() -> None:
    assert read_object(' \r\n\t{"a": [1, 2.5, true, null]}\n') == {"a": [1, 2.5, True, None]}


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES, st.booleans())
def test_what_json_writes_is_read_back(value: Any, ascii_only: bool) -> None:  # noqa: FBT001
    assert read_value(json.dumps(value, ensure_ascii=ascii_only)) == value


@given(st.text(max_size=60) | st.text('{}[]":,\\0123456789eE+-.truefalsn \nud8', max_size=60))
def test_no_text_is_anything_but_an_object_or_a_sentence(text: str) -> None:
    try:
        value = read_object(text)
    except UntrustedJsonError as error:
        told = error.sentence
    else:
        told = "one; two"
        assert json.loads(text) == value
    assert "; " in told
    assert "\n" not in told
