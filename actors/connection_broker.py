"""What a connection asks the broker, and its answers as JSON; a room of ``actors/connection.py`` (6.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, assert_never

from bxcore.approvals.codes import as_typed
from bxcore.control import ErrorCode, requests
from bxcore.control.approvals import answered_json, approvals_json, by_problem, code_problem
from bxcore.control.grants import explained_json, grants_json
from bxcore.control.requests import AnswerApprovalRequest
from bxcore.labels import Label, Level
from bxcore.messages.broker import (
    AnswerApproval,
    ApprovalAnswered,
    BrokerMessage,
    ExplainCall,
    ListApprovals,
    ListGrants,
    ReloadGrants,
)

OfBroker: TypeAlias = (
    requests.ApprovalsRequest
    | requests.AnswerApprovalRequest
    | requests.GrantsRequest
    | requests.ReloadGrantsRequest
    | requests.ExplainRequest
)


def problem(request: OfBroker) -> str | None:
    """Why a request's texts cannot be what they stand for, or None."""
    if not isinstance(request, AnswerApprovalRequest):
        return None
    if request.for_session and not request.approve:
        return "a denial is for one call; leave for_session away"
    return code_problem(as_typed(request.code)) or by_problem(request.by)


def message(request: OfBroker) -> BrokerMessage:
    """Write a request as the broker's message."""
    match request:
        case requests.ApprovalsRequest():
            return ListApprovals()
        case requests.AnswerApprovalRequest():
            return AnswerApproval(
                code=as_typed(request.code),
                approve=request.approve,
                for_session=request.for_session,
                by=request.by.strip(),
            )
        case requests.GrantsRequest():
            return ListGrants()
        case requests.ReloadGrantsRequest():
            return ReloadGrants()
        case requests.ExplainRequest():
            return ExplainCall(
                tool=request.tool,
                arguments=request.arguments,
                label=Label(Level.parse(request.session_class), untrusted=request.untrusted),
                said=request.said,
            )
        case _:
            assert_never(request)


def shape(request: OfBroker) -> Callable[[Any], object]:
    """How the broker's answer is put into JSON."""
    match request:
        case requests.ApprovalsRequest():
            return approvals_json
        case requests.AnswerApprovalRequest():
            return answered_json
        case requests.GrantsRequest() | requests.ReloadGrantsRequest():
            return grants_json
        case requests.ExplainRequest():
            return explained_json
        case _:
            assert_never(request)


def no(value: object) -> tuple[ErrorCode, str] | None:
    """Why an answer of the broker's is a "no": there never was such a code."""
    if isinstance(value, ApprovalAnswered) and not value.known:
        return ErrorCode.NO_SUCH_THING, value.sentence
    return None
