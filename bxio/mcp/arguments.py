"""Whether a call's arguments fit the schema that the server lists; what does not is not sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jsonschema import SchemaError, ValidationError  # type: ignore[import-untyped]  # it has no types
from jsonschema.exceptions import best_match  # type: ignore[import-untyped]
from jsonschema.validators import validator_for  # type: ignore[import-untyped]
from referencing import Registry
from referencing.exceptions import Unresolvable

MOST_SCHEMA = 20_000
"""Characters of a schema that is looked at; the server itself judges by a larger one."""
MOST_SENTENCE = 300


def misfit(schema: Mapping[str, Any] | None, arguments: Mapping[str, Any]) -> str | None:
    """One sentence on what does not fit; None when all does, or when the schema itself is of no use.

    Nothing is fetched: a reference that leads out of the schema makes it one of no use.
    """
    if schema is None or len(json.dumps(schema)) > MOST_SCHEMA:
        return None
    kind = validator_for(schema)
    try:
        kind.check_schema(schema)
        error = best_match(kind(schema, registry=Registry()).iter_errors(arguments))
    except (SchemaError, Unresolvable, RecursionError):
        return None
    return None if error is None else _sentence(error)


def _sentence(error: ValidationError) -> str:
    where = "".join(f"{part}: " for part in error.absolute_path)
    return " ".join(f"{where}{error.message}".split())[:MOST_SENTENCE]
