"""Arguments beside the schema that a server lists."""

from __future__ import annotations

from typing import Any

import pytest

from bxio.mcp.arguments import MOST_SCHEMA, MOST_SENTENCE, misfit

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "list": {"type": "array", "items": {"$ref": "#/$defs/word"}}},
    "required": ["n"],
    "$defs": {"word": {"type": "string"}},
}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n": 1}, None),
        ({"n": 1, "list": ["a"], "more": 2}, None),
        ({}, "'n' is a required property"),
        ({"n": "1"}, "n: '1' is not of type 'integer'"),
        ({"n": 1, "list": ["a", 2]}, "list: 1: 2 is not of type 'string'"),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(arguments: dict[str, Any], sentence: str | None) -> None:
    assert misfit(SCHEMA, arguments) == sentence


def test_the_sentence_is_one_short_line() -> None:
    told = misfit(SCHEMA, {"n": "a\nb" * 1000})
    assert told is not None
    assert len(told) == MOST_SENTENCE
    assert "\n" not in told


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {"type": 7},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "#"},
        {"properties": {"n": {"type": "string"}}, "description": "d" * MOST_SCHEMA},
    ],
)
def test_by_a_schema_of_no_use_the_server_itself_judges(schema: dict[str, Any] | None) -> None:
    assert misfit(schema, {"n": 1}) is None
