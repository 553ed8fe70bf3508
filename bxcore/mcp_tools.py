"""What an MCP server says of its tools, made fit for a model: short, on one line, without our own marks.

The words are a stranger's. They are shown by ``find_tool`` alone, with whose they are.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bxcore.mcp_names import joined
from bxcore.sanitize import one_line

MAX_TOOLS = 100
"""Tools of one server."""
MAX_DESCRIPTION = 300
MAX_WORDS = 120
"""Characters of a text inside of a schema."""
MAX_SCHEMA = 3000
"""Characters of a schema; of a larger one only its fields' names are shown."""
MAX_DEPTH = 8
MAX_FIELDS = 50
"""Entries of each object and list in a schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool:
    """A tool as ``find_tool`` shows it; ``schema`` is a JSON text."""

    name: str
    description: str
    schema: str

    def line(self) -> str:
        """As every tool's schema is written: keys in alphabetical order, compact."""
        about = json.dumps(self.description, ensure_ascii=False)
        return f'{{"description":{about},"name":"{self.name}","parameters":{self.schema}}}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The tools of a server that can be called, by name, and how many cannot."""

    tools: tuple[McpTool, ...] = ()
    left_out: int = 0


def listed(server: str, said: Iterable[object]) -> Listed:
    """Read what a server lists: objects with ``name``, ``description`` and ``schema``; never raises."""
    tools: dict[str, McpTool] = {}
    left_out = 0
    for each in said:
        tool = _tool(server, each) if len(tools) < MAX_TOOLS else None
        if tool is None or tool.name in tools:
            left_out += 1
        else:
            tools[tool.name] = tool
    return Listed(tools=tuple(tools[name] for name in sorted(tools)), left_out=left_out)


def _tool(server: str, said: object) -> McpTool | None:
    if not isinstance(said, Mapping) or not isinstance(said.get("name"), str):
        return None
    name = joined(server, said["name"])
    if name is None:
        return None
    about = said.get("description")
    words = _plain(about, MAX_DESCRIPTION) if isinstance(about, str) else ""
    return McpTool(
        name=name,
        description=f"of the MCP server {server}: {words}".rstrip(": "),
        schema=_schema(said.get("schema")),
    )


def _plain(text: str, most: int) -> str:
    return one_line(text[: most * 4], most)


def _schema(said: object) -> str:
    found = _pruned(said, 0)
    if not isinstance(found, dict):
        return '{"type":"object"}'
    text = _compact(found)
    return text if len(text) <= MAX_SCHEMA else _compact(_names_alone(found))


def _names_alone(schema: Mapping[str, Any]) -> dict[str, Any]:
    fields = schema.get("properties")
    names = list(fields)[:MAX_FIELDS] if isinstance(fields, dict) else []
    return {"properties": {name: {} for name in names}, "type": "object"}


def _pruned(value: object, depth: int, *, names: bool = False) -> object:
    """The same with short words, few entries and no deep nesting; ``names``: its keys are fields' names."""
    match value:
        case str():
            return _plain(value, MAX_WORDS)
        case bool() | int() | None:
            return value
        case float():
            return value if math.isfinite(value) else None
        case Mapping() if depth < MAX_DEPTH:
            kept = list(value.items())[:MAX_FIELDS]
            return {
                _key(key): _pruned(inner, depth + 1, names=key == "properties" and not names)
                for key, inner in kept
                if names or key not in _NO_USE
            }
        case list() if depth < MAX_DEPTH:
            return [_pruned(inner, depth + 1) for inner in value[:MAX_FIELDS]]
        case _:
            return None


_NO_USE = frozenset({"$schema", "$id", "title", "examples"})
"""Keys of a schema that help nobody to make a call."""


def _key(key: object) -> str:
    return re.sub(r"[^ -~]", "?", str(key))[:64]


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
