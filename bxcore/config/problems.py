"""Problems of the configuration: where, which key, and one sentence each (spec 5.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_NOUNS = {
    "string_type": "must be text in quotes",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a smaller whole number",
    "bool_parsing": "must be true or false",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "tuple_type": "must be an array",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "dict_type": "must be a table",
    "missing": "is missing",
}
_BOUNDS = {
    "greater_than": ("gt", "must be more than"),
    "greater_than_equal": ("ge", "must be at least"),
    "less_than": ("lt", "must be less than"),
    "less_than_equal": ("le", "must be at most"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigProblem:
    """One thing wrong. ``place`` is a file's path or ``$NAME`` of the environment; ``line`` counts from 1."""

    place: str
    line: int | None
    key: str
    sentence: str

    def __str__(self) -> str:
        where = self.place if self.line is None else f"{self.place}:{self.line}"
        return f"{where}: {self.key}: {self.sentence}" if self.key else f"{where}: {self.sentence}"


def sentence_of(error: Mapping[str, Any]) -> str:
    """Put one of pydantic's errors in our words; the value is never shown, it may be a secret."""
    kind = str(error["type"])
    context: Mapping[str, Any] = error.get("ctx") or {}
    if kind in _NOUNS:
        return _NOUNS[kind]
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"{words} {_number(context[name])}"
    if kind == "literal_error":
        return f"must be one of {str(context['expected']).replace(chr(39), '')}"
    if kind == "value_error":
        return str(context["error"])
    message = str(error["msg"])
    return message[:1].lower() + message[1:]


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) and abs(value) < 1e6 else str(value)  # noqa: PLR2004 - %g rounds beyond


def dotted(parts: Sequence[str | int]) -> str:
    """``("honcho", "read", 0, "class")`` reads ``honcho.read[1].class``: people count from one."""
    text = ""
    for part in parts:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text
