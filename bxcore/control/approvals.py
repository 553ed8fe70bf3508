"""Approvals as the control socket's JSON (spec 2.3, step 4)."""

from __future__ import annotations

from bxcore.control.answers import ApprovalJson, ClosedApprovalJson
from bxcore.control.label import label_json
from bxcore.messages.broker import ApprovalClosed, ApprovalView


def approval_json(view: ApprovalView) -> ApprovalJson:
    """Write a pending approval."""
    return {
        "code": view.code,
        "session": view.session,
        "turn": view.turn,
        "call": view.call,
        "tool": view.tool,
        "shown": view.shown,
        "label": label_json(view.label),
        "grant": view.grant,
        "why": view.why,
        "left_s": round(view.left_s, 1),
    }


def closed_json(news: ApprovalClosed) -> ClosedApprovalJson:
    """Write how an approval ended."""
    return {"code": news.code, "approved": news.approved, "sentence": news.sentence}
