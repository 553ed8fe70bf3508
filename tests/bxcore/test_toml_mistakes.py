"""Each mistake as the parser meets it, in a whole text."""

from __future__ import annotations

import pytest
import tomli

from bxcore.toml_lines import syntax_problem


def problem(text: str) -> tuple[int, str]:
    with pytest.raises(tomli.TOMLDecodeError) as caught:
        tomli.loads(text)
    line, sentence = syntax_problem(caught.value, text)
    return line, sentence.removeprefix("this is no valid TOML: ")


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ('a = 1\nurl = "x\nb = 1\n', 2, "url has a quote that is not closed; close it on the same line"),
        (
            'paths = [\n  "/a,\n  "/b"]\n',
            2,
            "a text has a quote that is not closed; close it on the same line",
        ),
        ("url = 'x\n", 1, "url has a quote that is not closed; close it on the same line"),
        ('url = "x', 1, "url has a quote that is not closed; close it on the same line"),
        ("a = 1\nmode = auto\n", 2, "mode has a value without quotes; put it in quotes"),
        ("paths = [/home/me]\n", 1, "paths has a value without quotes; put it in quotes"),
        ("paths = [\n  ~/notes,\n]\n", 2, "a list has a value without quotes; put it in quotes"),
        ("untrusted = True\n", 1, "untrusted takes true or false, in small letters and without quotes"),
        ("untrusted = yes\n", 1, "untrusted takes true or false, in small letters and without quotes"),
        ("tool = \n", 1, "tool has no value; write one behind the ="),
        ("tool = # none\n", 1, "tool has no value; write one behind the ="),
        ('mode = "a"\nmode = "b"\n', 2, "the key mode stands here a second time; write it once"),
        ("[a.b]\n[c]\n[a.b]\n", 3, "the table a.b begins a second time; put its keys together"),
        ("\ufeffa = 1\n", 1, "it begins with a byte order mark; save it as UTF-8 without one"),
        (
            'path = "C:\\users"\n',
            1,
            "path has a backslash, which begins an escape; write two, or single quotes",
        ),
        ("[model\nurl = 3\n", 1, "expected ']' at the end of a table declaration"),
        ("a = 1\na.b = 2\n", 2, "cannot overwrite a value"),
        ("a = ,\n", 1, "invalid value"),
    ],
)
def test_a_mistake_is_told_in_plain_words_with_its_key(text: str, line: int, sentence: str) -> None:
    assert problem(text) == (line, sentence)


@pytest.mark.parametrize(
    "text", ["key = hunter2\n", 'key = "hunter2\n', "key = 'hunter2\n", 'key = "\\hunter2"']
)
def test_no_value_is_shown(text: str) -> None:
    assert "hunter2" not in problem(text)[1]
