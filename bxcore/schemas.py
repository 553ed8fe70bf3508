"""What the model sees of each tool: description, name and parameters as a JSON schema (spec 1.1 to 1.6).

Words are few, for they stand in every request; the limits that a model seldom meets are left to its refusals.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from bxcore.args import (
    ASK_MEMORY,
    CALL_TOOL,
    CLOCK,
    FIND_TOOL,
    HTTP_FETCH,
    MAX_WORKSPACES,
    MEMORY,
    READ_FILE,
    RECALL,
    SHELL,
    WRITE_FILE,
)
from bxcore.args.files import MAX_READ
from bxcore.args.http_fetch import METHODS
from bxcore.args.memory import ACTIONS, FILES
from bxcore.args.recall import MAX_K
from bxcore.args.shell import MAX_TIMEOUT_S

CORE_TOOLS: Final = (CLOCK, RECALL, MEMORY, ASK_MEMORY)
"""The core tools, in the order of the tools array; ``find_tool`` and ``call_tool`` follow them."""

Schema = dict[str, Any]
_TEXT: Final = {"type": "string"}


def _tool(name: str, description: str, properties: Schema, *required: str) -> Schema:
    parameters: Schema = {"properties": properties, "type": "object"}
    if required:
        parameters["required"] = list(required)
    return {"description": description, "name": name, "parameters": parameters}


def _text(description: str) -> Schema:
    return {"description": description, "type": "string"}


def _one_of(*values: str, description: str | None = None) -> Schema:
    told = {"description": description} if description else {}
    return {**told, "enum": list(values), "type": "string"}


def _whole(lowest: int, highest: int | None = None, description: str | None = None) -> Schema:
    told = {"description": description} if description else {}
    most = {} if highest is None else {"maximum": highest}
    return {**told, **most, "minimum": lowest, "type": "integer"}


_ALL: Final = (
    _tool(CLOCK, "The date and time now.", {}),
    _tool(
        RECALL,
        "Search past sessions and notes. Use it when the user speaks of something said or noted before.",
        {"query": _text("the words to look for"), "k": _whole(1, MAX_K, "most items, 5 when left out")},
        "query",
    ),
    _tool(
        MEMORY,
        "Keep a fact for later sessions, or change or drop one. Use it when the user asks to remember or "
        "forget something, or tells a lasting fact or wish.",
        {
            "action": _one_of(*ACTIONS, description="add needs text, replace text and entry, remove entry"),
            "file": _one_of(
                *FILES,
                description="user: who the user is; memory: rules and facts for every talk; notes: the rest",
            ),
            "text": _text("the new entry, one fact"),
            "entry": _text("words of the one old entry to replace or remove"),
        },
        "action",
        "file",
    ),
    _tool(
        ASK_MEMORY,
        "Ask Honcho what you and the other agents of the fleet know. Answers can take a minute or more.",
        {
            "question": _TEXT,
            "workspaces": {
                "description": "own (the default), untrusted, fleet, or another agent's name.",
                "items": _TEXT,
                "maxItems": MAX_WORKSPACES,
                "type": "array",
            },
        },
        "question",
    ),
    _tool(
        FIND_TOOL,
        "Find a tool that is not in this list, such as for files, commands or web pages.",
        {"query": _text("what it should do")},
        "query",
    ),
    _tool(
        CALL_TOOL,
        "Call a tool that find_tool has shown.",
        {"name": _TEXT, "arguments": {"type": "object"}},
        "name",
        "arguments",
    ),
    _tool(
        READ_FILE,
        "Read a file, or a part of it.",
        {
            "path": _text("absolute, or relative to the work folder"),
            "offset": _whole(0, None, "the first byte"),
            "limit": _whole(1, MAX_READ, "bytes"),
        },
        "path",
    ),
    _tool(
        WRITE_FILE,
        "Write a text to a file, in place of what it holds or at its end.",
        {
            "path": _text("absolute, or relative to the work folder"),
            "content": _TEXT,
            "append": {"description": "true: put it at the end", "type": "boolean"},
        },
        "path",
        "content",
    ),
    _tool(
        SHELL,
        "Run a shell command in a container without a network.",
        {"command": _TEXT, "timeout_s": _whole(1, MAX_TIMEOUT_S, "seconds, 60 when left out")},
        "command",
    ),
    _tool(
        HTTP_FETCH,
        "Fetch a web page or call a web API over http or https.",
        {
            "url": _TEXT,
            "method": _one_of(*METHODS),
            "headers": {"additionalProperties": _TEXT, "type": "object"},
            "body": _text("for POST"),
            "max_bytes": _whole(1, None, "most bytes of the answer"),
        },
        "url",
    ),
)

TOOLS: Final[Mapping[str, Schema]] = {tool["name"]: tool for tool in _ALL}
"""Every tool as ``{"description", "name", "parameters"}``, by name."""


def schema_json(tool: str) -> str:
    """A tool as the model sees it: keys in alphabetical order, compact, not ASCII-escaped."""
    return json.dumps(TOOLS[tool], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
