"""Filters of a list or a search, as a condition in SQL; an unknown key or operator is refused with 422."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bxio.embedded_honcho.problems import refused

MAX_DEPTH = 8

_COMPARISONS = {"gte": ">=", "lte": "<=", "gt": ">", "lt": "<", "ne": "<>"}
_WHEN = TypeAdapter(datetime)

MESSAGES = {
    "id": "id",
    "peer_id": "peer",
    "session_id": "session",
    "content": "messages.content",
    "created_at": "created_at",
    "metadata": "metadata",
}
NAMED = {"id": "name", "created_at": "created_at", "metadata": "metadata"}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition in SQL and what its question marks stand for."""

    sql: str
    values: tuple[Any, ...] = field(default=())


def stamp(when: datetime) -> str:
    """Write a time as it is stored and compared: UTC, microseconds; without an offset it counts as UTC."""
    utc = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    return utc.isoformat(timespec="microseconds").replace("+00:00", "Z")


def condition(filters: Mapping[str, Any] | None, columns: Mapping[str, str], depth: int = 0) -> Condition:
    """Read ``filters``; ``columns`` has the table's column for each key. ``workspace_id`` says nothing."""
    if depth > MAX_DEPTH:
        raise refused("Filters are nested too deeply")
    parts = [_part(key, value, columns, depth) for key, value in (filters or {}).items()]
    return _joined(parts, "AND")


def _part(key: str, value: Any, columns: Mapping[str, str], depth: int) -> Condition:
    if key in {"AND", "OR", "NOT"}:
        return _logical(key, value, columns, depth)
    if key == "workspace_id" or (key in columns and value == "*"):
        return Condition("1")
    if key not in columns:
        raise refused(f"Column '{key}' is not allowed in filters")
    column = columns[key]
    if key == "metadata":
        return Condition("has_all(metadata, ?)", (json.dumps(value),))
    if isinstance(value, dict):
        return _joined([_compared(key, column, *pair) for pair in value.items()], "AND")
    return Condition(f"{column} = ?", (_value(key, value),))


def _logical(key: str, value: Any, columns: Mapping[str, str], depth: int) -> Condition:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise refused(f"{key} takes a list of filters")
    parts = [condition(each, columns, depth + 1) for each in value]
    joined = _joined(parts, "AND" if key == "AND" else "OR")
    return Condition(f"NOT ({joined.sql})", joined.values) if key == "NOT" else joined


def _compared(key: str, column: str, operator: str, value: Any) -> Condition:
    if operator in _COMPARISONS:
        return Condition(f"{column} {_COMPARISONS[operator]} ?", (_value(key, value),))
    if operator == "in" and isinstance(value, list):
        return Condition(
            f"{column} IN ({', '.join('?' * len(value))})", tuple(_value(key, each) for each in value)
        )
    if operator in {"contains", "icontains"} and isinstance(value, str):
        wanted, inside = (value, column) if operator == "contains" else (value.lower(), f"lower({column})")
        return Condition(f"instr({inside}, ?) > 0", (wanted,))
    raise refused(f"Operator '{operator}' is not allowed in filters")


def _value(key: str, value: Any) -> Any:
    if key == "created_at":
        try:
            return stamp(_WHEN.validate_python(value))
        except ValidationError:
            raise refused("created_at takes an ISO 8601 time") from None
    if isinstance(value, str | int | float):
        return value
    raise refused(f"The filter on '{key}' takes a text or a number")


def _joined(parts: list[Condition], word: str) -> Condition:
    if not parts:
        return Condition("1")
    sql = f" {word} ".join(f"({part.sql})" for part in parts)
    return Condition(sql, tuple(value for part in parts for value in part.values))
