"""Grants, and what they make of a call, as the control socket's JSON (spec 2.2)."""

from __future__ import annotations

from bxcore.control.answers import ExplainedJson, GrantJson, GrantsJson
from bxcore.messages.broker import Explained, GrantRow, GrantsView


def grants_json(view: GrantsView) -> GrantsJson:
    """Write the grants in force and the problems of the set that was read last."""
    return {"grants": [_grant_json(row) for row in view.grants], "problems": list(view.problems)}


def _grant_json(row: GrantRow) -> GrantJson:
    return {
        "id": row.id,
        "tool": row.tool,
        "mode": row.mode,
        "max_taint": row.max_taint,
        "when_untrusted": row.when_untrusted,
        "about": row.about,
        "sha256": row.sha256,
        "expired": row.expired,
    }


def explained_json(explained: Explained) -> ExplainedJson:
    """Write a decision with its steps."""
    return {
        "decision": explained.decision,
        "grant": explained.grant,
        "sentence": explained.sentence,
        "steps": list(explained.steps),
    }
