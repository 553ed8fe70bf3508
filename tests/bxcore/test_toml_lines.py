from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.toml_lines import KeyPath, line_of, lines, syntax_problem

TEXT = '''# a comment with [brackets] and a = 1
top = "x = y"

[model]
url = "a"  # url = "b"
list = [
  "]",  # ]
  "name = 1",
]
text = """
[not.a.table]
not = "a key"
\\"""quoted\\"""
"""
literal = \'\'\'
[nor.this]
\'\'\'
"quoted key".part = 3
inline = {a = 1, b = [2]}

[[honcho.read]]
agent = "one"
[[honcho.read]]
agent = 'two'
class = "private"
[honcho.read.deep]
z = 1
'''

PLACES: list[tuple[KeyPath, int]] = [
    (("top",), 2),
    (("model",), 4),
    (("model", "url"), 5),
    (("model", "list"), 6),
    (("model", "text"), 10),
    (("model", "literal"), 15),
    (("model", "quoted key", "part"), 18),
    (("model", "inline"), 19),
    (("honcho",), 21),
    (("honcho", "read"), 21),
    (("honcho", "read", 0), 21),
    (("honcho", "read", 0, "agent"), 22),
    (("honcho", "read", 1), 23),
    (("honcho", "read", 1, "agent"), 24),
    (("honcho", "read", 1, "class"), 25),
    (("honcho", "read", 1, "deep", "z"), 27),
]


@pytest.mark.parametrize(("path", "line"), PLACES)
def test_each_key_and_header_has_its_line(path: KeyPath, line: int) -> None:
    assert line_of(TEXT, path) == line


def test_a_key_that_is_not_there_has_the_line_of_what_it_would_be_in() -> None:
    assert line_of(TEXT, ("honcho", "read", 1, "trusted")) == 23
    assert line_of(TEXT, ("model", "inline", "a")) == 19
    assert line_of(TEXT, ("nowhere",)) == 1
    assert line_of(TEXT, ()) == 1


def test_what_stands_in_values_and_comments_is_no_key() -> None:
    names = {part for path in lines(TEXT) for part in path}
    assert names.isdisjoint({"a", "not", "nor", "name", "brackets"})


def test_tables_in_a_list_of_many_lines_are_inside_a_value() -> None:
    text = "list = [\n  {x = 1},\n  {y = 2},\n  z,\n]\nafter = 1\n"
    assert lines(text) == {("list",): 1, ("after",): 6}


def test_windows_line_ends_count_the_same() -> None:
    assert line_of(TEXT.replace("\n", "\r\n"), ("honcho", "read", 1, "class")) == 25


def paths(value: Any, path: KeyPath = ()) -> set[KeyPath]:
    if isinstance(value, dict):
        return {path} | {deep for key, each in value.items() for deep in paths(each, (*path, key))}
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        return {path} | {deep for i, each in enumerate(value) for deep in paths(each, (*path, i))}
    return {path}


def test_every_path_of_the_parsed_text_is_known() -> None:
    text = TEXT.replace("inline = {a = 1, b = [2]}", "inline = 1")
    assert set(lines(text)) == paths(tomllib.loads(text)) - {()}


@given(st.text("[]{}=\"'\\#\n.ab ", max_size=80))
def test_no_text_is_too_odd_to_be_looked_through(text: str) -> None:
    assert all(1 <= line <= text.count("\n") + 1 for line in lines(text).values())


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("a = 1\nb = [x\n", 2, "this is no valid TOML: b has a value without quotes; put it in quotes"),
        ("a = 1\na = 2\n", 2, "this is no valid TOML: the key a stands here a second time; write it once"),
        ("a = 1\n\nb", 3, "this is no valid TOML: expected '=' after a key in a key/value pair"),
        ("a = 1\nb = \n\n", 2, "this is no valid TOML: b has no value; write one behind the ="),
    ],
)
def test_a_syntax_error_has_its_line_and_a_sentence_without_it(text: str, line: int, problem: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    assert syntax_problem(caught.value, text) == (line, problem)
