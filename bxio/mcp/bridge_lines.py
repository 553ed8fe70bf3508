"""What the bridge tells the box, as plain values: lists of tools, results and failures of an MCP server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from bxio.mcp.bridge_process import TooLongError

MOST_TEXT = 400_000
"""Characters of a result; the loop shows the model less, and keeps the whole."""
MOST_ABOUT = 2000
MOST_SCHEMA = 10_000
"""Characters of a schema; of a larger one its fields' names are told."""
MOST_FIELDS = 50
MOST_SENTENCE = 300


def page(cursor: str | None) -> types.PaginatedRequestParams | None:
    """What asks for the page behind ``cursor``."""
    return None if cursor is None else types.PaginatedRequestParams(cursor=cursor)


def tool(found: types.Tool) -> dict[str, Any]:
    """A tool as ``bxcore.mcp_tools.listed`` reads it, which shows less than this at the most."""
    about, schema = found.description or found.title, found.input_schema
    if len(json.dumps(schema)) > MOST_SCHEMA:
        fields = schema.get("properties")
        names = list(fields)[:MOST_FIELDS] if isinstance(fields, dict) else []
        schema = {"properties": {name: {} for name in names}}
    return {"name": found.name, "description": about and about[:MOST_ABOUT], "schema": schema}


def is_new_list(message: object) -> bool:
    """Whether the server says that its tools are others now."""
    return isinstance(message, types.ToolListChangedNotification)


def of_result(result: types.CallToolResult) -> str:
    """The texts of a result, one below the other; of anything else, what it is."""
    text = "\n".join(_texts(result.content))
    if not text and result.structured_content is not None:
        text = json.dumps(result.structured_content, ensure_ascii=False)
    more = len(text) - MOST_TEXT
    return f"{text[:MOST_TEXT]}\n… {more} more characters" if more > 0 else text


def _texts(blocks: list[types.ContentBlock]) -> Iterator[str]:
    for block in blocks:
        match block:
            case types.TextContent():
                yield block.text
            case types.EmbeddedResource(resource=types.TextResourceContents() as held):
                yield held.text
            case types.ResourceLink():
                yield f"[a link to {block.uri}]"
            case types.ImageContent() | types.AudioContent():
                yield f"[{block.mime_type}, {len(block.data) * 3 // 4} bytes, not shown]"
            case _:
                yield "[something that is no text, not shown]"


def of_error(error: Exception) -> str:
    """Why the server, or the client, makes no result of a call."""
    if isinstance(error, MCPError):
        return f"the server refuses: {error.error.message}"[:MOST_TEXT]
    return f"its answer cannot be used: {error}"[:MOST_TEXT]


def is_end(error: Exception) -> bool:
    """Whether a call was not answered because the server ended."""
    return isinstance(error, MCPError) and error.error.code == types.CONNECTION_CLOSED


def of_failure(error: BaseException) -> str:
    """One sentence why there is no session with the server."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return f"{error.filename} is not there; mend command or folder"
    if isinstance(error, PermissionError):
        return f"{error.filename} may not be run; mend its mode"
    if isinstance(error, MemoryError):
        return "the server sent more than the bridge may hold"
    if isinstance(error, EOFError) or (isinstance(error, Exception) and is_end(error)):
        return "its process ended"
    if isinstance(error, TooLongError):
        return str(error)
    said = error.error.message if isinstance(error, MCPError) else str(error)
    return " ".join(f"no session with the server ({type(error).__name__}: {said})".split())[:MOST_SENTENCE]
