"""The one written form of a call's arguments: what is audited, hashed and handed on (spec 1.2)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bxcore.args.mcp_call import McpArgs
from bxcore.args.shape import Shaped


def canonical_json(value: Shaped | McpArgs) -> str:
    """Every field, defaults included, in declared order, compact, not ASCII-escaped.

    The keys of an object inside (``headers``, ``call_tool``'s ``arguments``) are sorted, so that two
    orders of the same keys are the same call. So are those of a whole object that a server alone knows.
    """
    if isinstance(value, McpArgs):
        return compact(value.arguments)
    parts = (f"{compact(name)}:{compact(getattr(value, name))}" for name in value.SHAPE)
    return "{" + ",".join(parts) + "}"


def compact(value: object) -> str:
    """JSON without spaces, sorted keys, characters as they are; raises ``ValueError`` on NaN or infinity."""
    plain = dict(value) if isinstance(value, Mapping) else value
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
