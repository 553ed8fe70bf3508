"""An approval lets run what was approved, and nothing else (spec 2.3, step 4)."""

from __future__ import annotations

from bxcore import policy
from bxcore.approvals.approval import Approval
from bxcore.labels import Label
from bxcore.policy import Ruling, Verdict


def changed(approval: Approval, verdict: Verdict, label: Label) -> str | None:
    """What is another one now than when it was approved, in words; None when nothing is."""
    if verdict.canonical is None or policy.sha256(verdict.canonical) != approval.args_sha256:
        return "its arguments changed"
    if verdict.grant is None or verdict.grant.sha256 != approval.grant_sha256:
        return "its grant changed"
    if verdict.bound != approval.bound:
        return "the grants that reach it changed"
    if label != approval.label:
        return f"the session's label changed from {approval.label} to {label}"
    return None


def still_binds(approval: Approval, verdict: Verdict, label: Label) -> bool:
    """Whether the question that waits is still the one to ask."""
    return verdict.outcome is Ruling.ASK and changed(approval, verdict, label) is None
