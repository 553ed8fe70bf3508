"""Approvals as the control socket's JSON, and the code that a person types (spec 2.3, step 4)."""

from __future__ import annotations

from collections.abc import Iterable

from bxcore.control.answers import ApprovalAnswerJson, ApprovalJson, ApprovalsJson, ClosedApprovalJson
from bxcore.control.label import label_json
from bxcore.messages.broker import ApprovalAnswered, ApprovalClosed, ApprovalView

LONGEST_BY = 64
"""Characters of the name of a surface."""
_LONGEST_CODE = 16


def code_problem(code: str) -> str | None:
    """Say why ``code`` cannot be one, or None."""
    if code and len(code) <= _LONGEST_CODE and code.isascii() and code.isalnum():
        return None
    return "an approval's code is a letter and a digit or more, such as k7; list them with bxctl approvals"


def by_problem(by: str) -> str | None:
    """Say why ``by`` cannot name a surface, or None; it is shown to people and kept in the audit."""
    if by.strip() and len(by) <= LONGEST_BY and by.isprintable():
        return None
    return f"by names the surface on one line of 1 to {LONGEST_BY} visible characters, such as bxctl"


def approval_json(view: ApprovalView) -> ApprovalJson:
    """Write a pending approval."""
    return {
        "code": view.code,
        "session": view.session,
        "turn": view.turn,
        "call": view.call,
        "tool": view.tool,
        "shown": view.shown,
        "whole": view.whole,
        "hidden": view.hidden,
        "label": label_json(view.label),
        "grant": view.grant,
        "why": view.why,
        "left_s": round(view.left_s, 1),
    }


def approvals_json(views: Iterable[ApprovalView]) -> ApprovalsJson:
    """Write the pending approvals."""
    return {"approvals": [approval_json(view) for view in views]}


def answered_json(answer: ApprovalAnswered) -> ApprovalAnswerJson:
    """Write what became of the owner's word on a code that is or was known."""
    return {"taken": answer.taken, "sentence": answer.sentence}


def closed_json(news: ApprovalClosed) -> ClosedApprovalJson:
    """Write how an approval ended."""
    return {"code": news.code, "approved": news.approved, "sentence": news.sentence}
