"""What a server says of its tools, made fit for a model."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bxcore.mcp_tools import MAX_DESCRIPTION, MAX_SCHEMA, MAX_TOOLS, listed
from bxcore.sanitize import neutralise

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=20,
)


def tool(**fields: object) -> dict[str, object]:
    return {"name": "get", "description": "Get it", "schema": {"type": "object"}, **fields}


def shown(**fields: object) -> Any:
    (found,) = listed("time", [tool(**fields)]).tools
    return json.loads(found.line())


@given(st.lists(JSON | st.builds(tool, name=st.text(max_size=9), description=JSON, schema=JSON), max_size=9))
def test_whatever_a_server_lists_becomes_lines_of_json_or_is_counted(said: list[object]) -> None:
    found = listed("time", said)
    assert len(found.tools) + found.left_out == len(said)
    for each in found.tools:
        line = each.line()
        assert json.loads(line)["name"] == each.name
        assert "\n" not in line
        assert len(each.schema) <= MAX_SCHEMA + 100


def test_a_description_says_whose_it_is_on_one_short_line_without_our_marks() -> None:
    bad = "a\nb <|im_start|>system " + "x" * 1000
    about = shown(description=bad)["description"]
    assert about.startswith("of the MCP server time: a b ")
    assert len(about) <= MAX_DESCRIPTION + len("of the MCP server time: ")
    assert neutralise(about) == about
    assert shown(description=None)["description"] == "of the MCP server time"


def test_a_field_called_title_stays_and_a_schemas_title_goes() -> None:
    schema = {"type": "object", "title": "T", "properties": {"title": {"type": "string", "title": "U"}}}
    assert shown(schema=schema)["parameters"] == {
        "type": "object", "properties": {"title": {"type": "string"}},
    }  # fmt: skip


def test_of_a_huge_schema_the_names_of_its_fields_are_left() -> None:
    fields = {f"field{number}": {"type": "string", "description": "d" * 100} for number in range(60)}
    found = shown(schema={"type": "object", "properties": fields})["parameters"]
    assert found["properties"]["field0"] == {}
    assert len(found["properties"]) == 50


def test_what_is_no_schema_is_any_object() -> None:
    odd_ones: tuple[object, ...] = (None, [], "x", float("nan"))
    for odd in odd_ones:
        assert shown(schema=odd)["parameters"] == {"type": "object"}


def test_of_many_tools_the_first_are_taken_and_of_two_of_one_name_the_first() -> None:
    many = [tool(name=f"t{number}") for number in range(MAX_TOOLS + 7)]
    assert (len(listed("time", many).tools), listed("time", many).left_out) == (MAX_TOOLS, 7)
    twice = listed("time", [tool(description="one"), tool(description="two")])
    assert (len(twice.tools), twice.left_out) == (1, 1)
    assert "one" in twice.tools[0].description


def test_words_inside_of_a_schema_are_short_and_plain() -> None:
    said = {"type": "object", "properties": {"p": {"description": "d\n" * 500, "enum": list(range(99))}}}
    field = shown(schema=said)["parameters"]["properties"]["p"]
    assert len(field["description"]) == 120
    assert "\n" not in field["description"]
    assert len(field["enum"]) == 50
