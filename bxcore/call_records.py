"""The audit's records of a call: no secret, and no arguments of a secret session (spec 2.4)."""

from __future__ import annotations

from bxcore import policy
from bxcore.approvals import Approval, Ended, How, Over
from bxcore.labels import Label, Level
from bxcore.messages import audit
from bxcore.messages.broker import ToolRequest
from bxcore.policy import Ruling, Verdict
from bxcore.sanitize import one_line, redact


def intent(
    request: ToolRequest,
    verdict: Verdict,
    state: Label,
    *,
    refused: str | None = None,
    approval: Over | None = None,
) -> audit.Intent:
    """The record of a decision. ``refused`` is why a call does not run that the policy would let run."""
    runs = refused is None and verdict.outcome is not Ruling.REFUSE
    grant = verdict.grant if runs else None
    decision = verdict.decision if refused is None else f"refused: {refused}"
    return audit.Intent(
        session=request.session,
        turn=request.turn,
        call=short(request.call),
        tool=short(request.tool),
        arguments_sha256=arguments_sha256(request, verdict),
        arguments=_arguments(verdict, state) if runs else None,
        decision="allowed" if runs else decision,
        grant=None if grant is None else grant.id,
        grant_sha256=None if grant is None else grant.sha256,
        label=state,
        approval=None if approval is None else approval.ended.code,
        approver=None if approval is None else approval.ended.by,
        for_session=approval is not None and approval.ended.how is How.SESSION,
    )


def opened(approval: Approval, verdict: Verdict) -> audit.ApprovalOpened:
    """The record that the owner is asked."""
    return audit.ApprovalOpened(
        session=approval.session,
        turn=approval.turn,
        call=short(approval.call),
        tool=approval.tool,
        arguments_sha256=approval.args_sha256,
        arguments=_arguments(verdict, approval.label),
        grant=approval.grant,
        grant_sha256=approval.grant_sha256,
        label=approval.label,
        code=approval.code,
        why=approval.why,
    )


def ended(approval: Approval, over: Ended) -> audit.ApprovalEnded:
    """The record of how it ended."""
    return audit.ApprovalEnded(
        session=approval.session,
        call=short(approval.call),
        code=over.code,
        how=over.how.value,
        by="the end of the box" if over.box_ended else over.by,
    )


def arguments_sha256(request: ToolRequest, verdict: Verdict) -> str:
    """Of the canonical arguments, or of what was written where they could not be read."""
    return policy.sha256(request.arguments if verdict.canonical is None else verdict.canonical)


def short(name: str) -> str:
    """A name that a model may have written, fit for the audit."""
    return one_line(redact(name), policy.MAX_NAME)


def _arguments(verdict: Verdict, state: Label) -> str | None:
    if verdict.canonical is None or state.level >= Level.SECRET:
        return None
    return redact(verdict.canonical)
