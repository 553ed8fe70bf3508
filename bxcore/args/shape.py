"""From a JSON object to an argument value: known fields only, exact types, nothing coerced (spec 1.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from enum import Enum
from typing import Any, ClassVar, Protocol, TypeVar

from bxcore.args.errors import ArgsError


class Kind(Enum):
    """The type that a field must have; the value is how a sentence names it."""

    TEXT = "a string"
    WHOLE = "a whole number"
    BOOLEAN = "true or false"
    TEXTS = "a list of strings"
    TEXT_MAP = "an object of strings"
    OBJECT = "an object"


class Shaped(Protocol):
    """An argument type: a dataclass that names its tool and the kind of each field, in declared order."""

    TOOL: ClassVar[str]
    SHAPE: ClassVar[Mapping[str, Kind]]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def check(self) -> None:
        """Raise ``ArgsError`` with the first rule that the value breaks."""


S = TypeVar("S", bound=Shaped)

_ECHOED = re.compile(r"[a-z_]{1,32}")
"""A field's name is quoted back only when it cannot hold a token, a tag or a control character."""


def shape(kind: type[S], raw: Mapping[str, object]) -> S:
    """Build an argument value of a decoded JSON object, checked; raises ``ArgsError``.

    The order of faults: a field that is not known, then each declared field in turn (missing, wrong type),
    then the type's own rules.
    """
    _refuse_unknown(kind, raw)
    values = {name: _value(kind, name, raw) for name in kind.SHAPE if _needed(kind, name, raw)}
    made = kind(**values)
    made.check()
    return made


def _refuse_unknown(kind: type[Shaped], raw: Mapping[str, object]) -> None:
    for name in raw:
        if name not in kind.SHAPE:
            shown = f"the field {name}" if _ECHOED.fullmatch(name) else "a field"
            raise ArgsError(f"{shown} is not known; {_takes(kind)}")


def _needed(kind: type[Shaped], name: str, raw: Mapping[str, object]) -> bool:
    return name in raw or name in required(kind)


def required(kind: type[Shaped]) -> tuple[str, ...]:
    """The names of the fields that a call must have, in declared order."""
    return tuple(
        field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING
    )


def _value(kind: type[Shaped], name: str, raw: Mapping[str, object]) -> object:
    if name not in raw:
        raise ArgsError(f"{name} is missing; {_takes(kind)}")
    value = raw[name]
    wanted = kind.SHAPE[name]
    if not _fits(value, wanted):
        raise ArgsError(f"{name} is {_described(value)}; write {wanted.value}")
    return tuple(value) if isinstance(value, list) else value


def _fits(value: object, kind: Kind) -> bool:
    match kind:
        case Kind.TEXT:
            return isinstance(value, str)
        case Kind.WHOLE:
            return type(value) is int
        case Kind.BOOLEAN:
            return isinstance(value, bool)
        case Kind.TEXTS:
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        case Kind.TEXT_MAP:
            return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
        case Kind.OBJECT:
            return isinstance(value, dict)


def _described(value: object) -> str:
    if value is None:
        return "null"
    names = {str: "a string", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "a list" if isinstance(value, list) else "an object")


def _takes(kind: type[Shaped]) -> str:
    needed = required(kind)
    optional = [name for name in kind.SHAPE if name not in needed]
    if not kind.SHAPE:
        return f"{kind.TOOL} takes no fields, write {{}}"
    names = ", ".join(needed)
    extra = ", ".join(optional)
    return f"{kind.TOOL} takes {names}" + (f", and may take {extra}" if extra else "")
