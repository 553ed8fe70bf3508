"""The fixed table of the control socket: method and path on one side, a request's class on the other.

Names from the wire are only ever looked up in this table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import parse_qsl, quote, urlencode

from bxcore.control import memory_requests, requests
from bxcore.control.exit_codes import ErrorCode
from bxcore.control.requests import Request
from bxcore.http import HttpRequest

MAX_BODY_BYTES = 1_048_576
PROTOCOL = 1

GET: Mapping[str, type[Request]] = {
    "/v1/status": requests.StatusRequest,
    "/v1/tree": requests.TreeRequest,
    "/v1/inspect": requests.InspectRequest,
    "/v1/stack": requests.StackRequest,
    "/v1/dead-letters": requests.DeadLettersRequest,
    "/v1/sessions": requests.SessionsRequest,
    "/v1/session": requests.SessionRequest,
    "/v1/watch": requests.WatchRequest,
    "/v1/approvals": requests.ApprovalsRequest,
    "/v1/grants": requests.GrantsRequest,
    "/v1/audit": requests.AuditTailRequest,
    "/v1/audit-record": requests.AuditShowRequest,
    "/v1/audit-verify": requests.AuditVerifyRequest,
    "/v1/doctor": requests.DoctorRequest,
    "/v1/prompt-size": requests.PromptSizeRequest,
    "/v1/version": requests.VersionRequest,
    "/v1/memory": memory_requests.MemoryRequest,
    "/v1/memory-log": memory_requests.MemoryLogRequest,
    "/v1/outbox": memory_requests.OutboxRequest,
}
POST: Mapping[str, type[Request]] = {
    "/v1/chat": requests.ChatRequest,
    "/v1/stop-turn": requests.StopTurnRequest,
    "/v1/restart": requests.RestartRequest,
    "/v1/stop": requests.StopRequest,
    "/v1/start": requests.StartRequest,
    "/v1/end-session": requests.EndSessionRequest,
    "/v1/ask": requests.AskRequest,
    "/v1/approval-answer": requests.AnswerApprovalRequest,
    "/v1/grants-reload": requests.ReloadGrantsRequest,
    "/v1/grants-explain": requests.ExplainRequest,
    "/v1/memory-edit": memory_requests.MemoryEditRequest,
    "/v1/memory-undo": memory_requests.MemoryUndoRequest,
    "/v1/memory-trust": memory_requests.MemoryTrustRequest,
    "/v1/memory-search": memory_requests.MemorySearchRequest,
    "/v1/memory-forget": memory_requests.MemoryForgetRequest,
    "/v1/memory-consolidate": memory_requests.MemoryConsolidateRequest,
    "/v1/memory-accept": memory_requests.MemoryAcceptRequest,
    "/v1/memory-import-turns": memory_requests.ImportTurnsRequest,
    "/v1/memory-import-entries": memory_requests.ImportEntriesRequest,
    "/v1/outbox-retry": memory_requests.OutboxRetryRequest,
    "/v1/outbox-drop": memory_requests.OutboxDropRequest,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """A request on the wire; ``body`` is None for a GET."""

    method: str
    target: str
    body: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotARequest:
    """What came is none of the table's requests."""

    code: ErrorCode
    sentence: str


def encode(request: Request) -> Encoded:
    """Write a request for the wire. Undecodable input becomes escapes of surrogates, which are refused."""
    values = {key: value for key, value in asdict(request).items() if value is not None}
    for path, kind in GET.items():
        if isinstance(request, kind):
            query = urlencode(values, quote_via=quote, errors="surrogatepass")
            return Encoded(method="GET", target=f"{path}?{query}" if query else path, body=None)
    path = next(path for path, kind in POST.items() if isinstance(request, kind))
    return Encoded(method="POST", target=path, body=json.dumps(values).encode("ascii"))


def decode(request: HttpRequest) -> Request | NotARequest:
    """Read a request from the wire; never raises."""
    table = {"GET": GET, "POST": POST}.get(request.method)
    if table is None or request.path not in table:
        return _no_route(request.path)
    if request.method == "GET" and request.body:
        return NotARequest(code=ErrorCode.BAD_REQUEST, sentence="a GET has no body; use the query instead")
    values = _query(request.query) if request.method == "GET" else _body(request.body)
    return values if isinstance(values, NotARequest) else _typed(table[request.path], values)


def _no_route(path: str) -> NotARequest:
    right = "GET" if path in GET else "POST" if path in POST else None
    if right is None:
        known = ", ".join(sorted({*GET, *POST}))
        return NotARequest(
            code=ErrorCode.NO_SUCH_ROUTE, sentence=f"there is no such path; use one of {known}"
        )
    return NotARequest(code=ErrorCode.WRONG_METHOD, sentence=f"{path} takes {right} only")


def _query(query: str) -> dict[str, object] | NotARequest:
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, strict_parsing=bool(query), max_num_fields=16, errors="strict"
        )
    except ValueError:
        return NotARequest(code=ErrorCode.BAD_REQUEST, sentence="the query is not key=value in UTF-8")
    values: dict[str, object] = dict(pairs)
    if len(values) != len(pairs):
        return NotARequest(code=ErrorCode.BAD_REQUEST, sentence="the query names a key twice")
    return values


def _body(body: bytes) -> dict[str, object] | NotARequest:
    from bxcore.untrusted_json import UntrustedJsonError, read_object

    try:
        return read_object(body.decode("utf-8"), max_text=MAX_BODY_BYTES)
    except UnicodeDecodeError:
        return NotARequest(code=ErrorCode.BAD_REQUEST, sentence="the body is not UTF-8 text")
    except UntrustedJsonError as error:
        sentence = error.sentence.replace("the arguments have", "the body has")
        sentence = sentence.replace("the arguments are", "the body is").replace("hold half", "holds half")
        sentence = sentence.replace("the arguments", "the body")
        return NotARequest(code=ErrorCode.BAD_REQUEST, sentence=sentence)


def _typed(kind: type[Request], values: dict[str, object]) -> Request | NotARequest:
    """Check types and names by pydantic over the request's own dataclass; nothing extra is let through."""
    from bxcore.control.checking import Checked, check

    checked = check(kind, values)
    if isinstance(checked, Checked):
        return checked.request
    return NotARequest(code=ErrorCode.BAD_REQUEST, sentence=checked)
