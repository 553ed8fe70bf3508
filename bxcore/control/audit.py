"""The audit's calls as the control socket's JSON (spec 2.4)."""

from __future__ import annotations

from collections.abc import Iterable

from bxcore import audit_text
from bxcore.audit_view import ApprovalPart, CallView
from bxcore.control.answers import (
    AuditApprovalJson,
    AuditCallJson,
    AuditCallsJson,
    AuditRecordJson,
)
from bxcore.control.label import label_json


def calls_json(views: Iterable[CallView]) -> AuditCallsJson:
    """Write some calls, in their order."""
    return {"calls": [call_json(view) for view in views]}


def record_json(view: CallView) -> AuditRecordJson:
    """Write one call, with the text of all that is known of it."""
    return {**call_json(view), "text": audit_text.full(view)}


def call_json(view: CallView) -> AuditCallJson:
    """Write one call, with the line that shows it among others."""
    return {
        "number": view.number,
        "numbers": list(view.numbers),
        "time": view.time,
        "session": view.session,
        "turn": view.turn,
        "call": view.call,
        "tool": view.tool,
        "arguments": view.arguments,
        "arguments_sha256": view.arguments_sha256,
        "decision": view.decision,
        "grant": view.grant,
        "grant_sha256": view.grant_sha256,
        "approver": view.approver,
        "approval": None if view.approval is None else _approval_json(view.approval),
        "label_before": label_json(view.label_before),
        "label_after": None if view.label_after is None else label_json(view.label_after),
        "outcome": view.outcome,
        "duration_ms": view.duration_ms,
        "line": audit_text.line(view),
    }


def _approval_json(part: ApprovalPart) -> AuditApprovalJson:
    return {
        "code": part.code,
        "asked": part.asked,
        "why": part.why,
        "how": part.how,
        "by": part.by,
        "ended": part.ended,
    }
