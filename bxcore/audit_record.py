"""A message of the audit as the fields of its record, in the order in which people read them (spec 2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields as fields_of
from typing import Any, TypeAlias, get_args

from bxcore.labels import Label
from bxcore.messages.audit import ApprovalEnded, ApprovalOpened, GrantsLoaded, Intent, Outcome

Recorded: TypeAlias = Intent | ApprovalOpened | ApprovalEnded | GrantsLoaded | Outcome


def fields(message: Recorded) -> Mapping[str, Any]:
    """The record of a message as JSON values: its kind first, then its own fields by their names."""
    return {name: _json(getattr(message, name)) for name in _NAMES[type(message)]}


_NAMES = {
    made: ("kind", *(field.name for field in fields_of(made) if field.name != "kind"))
    for made in get_args(Recorded)
}


def _json(value: object) -> object:
    match value:
        case Label(level=level, untrusted=untrusted):
            return {"class": level.text, "untrusted": untrusted}
        case tuple():
            return [_json(each) for each in value]
        case _:
            return value
