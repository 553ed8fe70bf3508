"""What the bridge tells the box of an MCP server's results and failures."""

from __future__ import annotations

import base64
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from bxio.mcp import bridge_lines
from bxio.mcp.bridge_lines import MOST_ABOUT, MOST_FIELDS, MOST_TEXT, is_end, of_error, of_failure, of_result
from bxio.mcp.bridge_process import TooLongError

NESTED = ExceptionGroup("g", [ExceptionGroup("h", [OSError("a\nb")])])
PICTURE = base64.b64encode(b"x" * 300).decode()


def result(*blocks: Any, **fields: Any) -> types.CallToolResult:
    return types.CallToolResult(content=list(blocks), **fields)


def text(said: str) -> types.TextContent:
    return types.TextContent(type="text", text=said)


def test_texts_stand_one_below_the_other_and_of_all_else_it_is_told_what_it_is() -> None:
    picture = types.ImageContent(type="image", data=PICTURE, mime_type="image/png")
    link = types.ResourceLink(type="resource_link", name="n", uri="file:///a")
    two = types.TextResourceContents(uri="file:///b", text="two")
    held = types.EmbeddedResource(type="resource", resource=two)
    assert of_result(result(text("one"), held, picture, link)) == (
        "one\ntwo\n[image/png, 300 bytes, not shown]\n[a link to file:///a]"
    )


def test_a_result_without_text_is_its_structure() -> None:
    assert of_result(result(structured_content={"a": "é"})) == '{"a": "é"}'
    assert of_result(result(text("one"), structured_content={"a": 1})) == "one"
    assert of_result(result()) == ""


def test_a_long_result_is_cut_and_says_by_how_much() -> None:
    assert of_result(result(text("x" * (MOST_TEXT + 7)))).endswith("x\n… 7 more characters")
    assert of_result(result(text("x" * MOST_TEXT))) == "x" * MOST_TEXT


def test_a_refusal_an_end_and_an_answer_of_no_use_are_told_apart() -> None:
    refused = MCPError(code=types.INVALID_PARAMS, message="no such zone")
    ended = MCPError(code=types.CONNECTION_CLOSED, message="closed")
    assert (of_error(refused), is_end(refused)) == ("the server refuses: no such zone", False)
    assert is_end(ended)
    odd = ValueError("odd")
    assert (of_error(odd), is_end(odd)) == ("its answer cannot be used: odd", False)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (FileNotFoundError(2, "no", "/x"), "/x is not there; mend command or folder"),
        (PermissionError(13, "no", "/x"), "/x may not be run; mend its mode"),
        (MemoryError(), "the server sent more than the bridge may hold"),
        (EOFError("it ended"), "its process ended"),
        (MCPError(code=types.CONNECTION_CLOSED, message="Connection closed"), "its process ended"),
        (TooLongError("it sent too much"), "it sent too much"),
        (
            NESTED,
            "no session with the server (OSError: a b)",
        ),
    ],
)
def test_why_there_is_no_session_is_one_sentence(error: BaseException, sentence: str) -> None:
    assert of_failure(error) == sentence


def test_a_tool_without_a_description_has_its_title() -> None:
    tool = types.Tool(name="x", title="T", input_schema={"type": "object"})
    assert bridge_lines.tool(tool) == {"name": "x", "description": "T", "schema": {"type": "object"}}
    assert bridge_lines.page(None) is None
    asked = bridge_lines.page("2")
    assert asked is not None
    assert asked.cursor == "2"


def test_of_a_large_tool_the_first_words_and_the_fields_names_are_told() -> None:
    fields = {f"f{number}": {"description": "d" * 1000} for number in range(99)}
    large = types.Tool(name="x", description="a" * 9999, input_schema={"properties": fields})
    told = bridge_lines.tool(large)
    assert told["description"] == "a" * MOST_ABOUT
    assert told["schema"] == {"properties": {f"f{number}": {} for number in range(MOST_FIELDS)}}
    odd = types.Tool(name="x", input_schema={"properties": 7, "description": "d" * 99_999})
    assert bridge_lines.tool(odd)["schema"] == {"properties": {}}
