"""Types of a request from the wire; apart from the routes, because pydantic is slow to import."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bxcore.config.problems import dotted, sentence_of
from bxcore.control.requests import Request
from bxcore.did_you_mean import hint


@dataclass(frozen=True, slots=True)
class Checked:
    """A request whose every field has its type."""

    request: Request


def check(kind: type[Request], values: dict[str, object]) -> Checked | str:
    """Make the request, or one sentence with every problem of its fields."""
    known = [each.name for each in fields(kind)]
    unknown = [f"there is no key {name[:64]!r}{hint(name, known)}" for name in values if name not in known]
    if unknown:
        return "; ".join(unknown[:3])
    try:
        return Checked(_adapter(kind.__name__, kind).validate_python(values))
    except ValidationError as errors:
        found = errors.errors(include_url=False, include_input=False)
        return "; ".join(f"{dotted(error['loc'])} {sentence_of(error)}" for error in found[:3])


_adapters: dict[str, TypeAdapter[Any]] = {}


def _adapter(name: str, kind: Any) -> TypeAdapter[Any]:
    """Made once for each kind of request, since that takes a while."""
    if name not in _adapters:
        _adapters[name] = TypeAdapter(kind)
    return _adapters[name]
