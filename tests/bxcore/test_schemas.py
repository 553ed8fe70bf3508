from __future__ import annotations

import json
from typing import Any

import pytest

from bxcore.args import ARGUMENT_TYPES, ArgsError, parse
from bxcore.args.shape import Kind, required
from bxcore.schemas import CORE_TOOLS, TOOLS, schema_json

JSON_TYPES = {
    Kind.TEXT: "string",
    Kind.WHOLE: "integer",
    Kind.BOOLEAN: "boolean",
    Kind.TEXTS: "array",
    Kind.TEXT_MAP: "object",
    Kind.OBJECT: "object",
}


def test_the_schema_of_ask_memory_is_part_of_the_contract() -> None:
    assert schema_json("ask_memory") == (
        '{"description":"Ask Honcho what you and the other agents of the fleet know. Answers can take a '
        'minute or more.","name":"ask_memory","parameters":{"properties":{"question":{"type":"string"},'
        '"workspaces":'
        '{"description":"own (the default), untrusted, fleet, or another agent\'s name.","items":{"type":'
        '"string"},"maxItems":2,"type":"array"}},"required":["question"],"type":"object"}}'
    )
    assert len(schema_json("ask_memory")) == 378


@pytest.mark.parametrize(("tool", "most"), [("recall", 403), ("memory", 868)])
def test_a_schema_keeps_within_its_size(tool: str, most: int) -> None:
    assert len(schema_json(tool)) <= most


def test_what_a_first_request_shows_is_well_under_900_tokens() -> None:
    shown = (*CORE_TOOLS, "find_tool", "call_tool")
    assert sum(len(schema_json(tool)) for tool in shown) / 4 < 550


def test_the_core_tools_have_their_order() -> None:
    assert CORE_TOOLS == ("clock", "recall", "memory", "ask_memory")


def test_every_tool_with_arguments_has_a_schema_and_no_other() -> None:
    assert set(TOOLS) == set(ARGUMENT_TYPES)
    assert all(set(tool) == {"description", "name", "parameters"} for tool in TOOLS.values())
    assert all(tool["name"] == name for name, tool in TOOLS.items())


@pytest.mark.parametrize("tool", ARGUMENT_TYPES)
def test_a_schema_names_the_fields_that_the_arguments_have(tool: str) -> None:
    kind = ARGUMENT_TYPES[tool]
    parameters = TOOLS[tool]["parameters"]
    types = {name: field["type"] for name, field in parameters["properties"].items()}
    assert types == {name: JSON_TYPES[field] for name, field in kind.SHAPE.items()}
    assert set(required(kind)) <= set(parameters.get("required", ()))
    assert set(parameters.get("required", ())) <= set(types)


def limits(tool: str) -> list[tuple[str, Any]]:
    """One value beyond each limit that the schema states."""
    found: list[tuple[str, Any]] = []
    for name, field in TOOLS[tool]["parameters"]["properties"].items():
        found += [(name, field["maximum"] + 1)] if "maximum" in field else []
        found += [(name, field["minimum"] - 1)] if "minimum" in field else []
        found += [(name, "neither")] if "enum" in field else []
        found += [(name, ["a", "b", "c"])] if "maxItems" in field else []
    return found


@pytest.mark.parametrize("tool", ARGUMENT_TYPES)
def test_a_limit_that_a_schema_states_is_a_limit_of_the_arguments(tool: str) -> None:
    for name, beyond in limits(tool):
        right = {"query": "q", "action": "add", "file": "notes", "text": "t", "question": "q", "path": "p"}
        right |= {"command": "ls", "url": "http://a.org", "content": "c"}
        known = {key: value for key, value in right.items() if key in ARGUMENT_TYPES[tool].SHAPE}
        parse(tool, json.dumps(known))
        with pytest.raises(ArgsError):
            parse(tool, json.dumps({**known, name: beyond}))
