"""What a connection asks memory and the outbox, and the answers as JSON; a room of ``connection.py``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from actors.base import Mailbox
from actors.connection_views import Known
from bxcore import session_ids
from bxcore.control import ErrorCode
from bxcore.control import memory_requests as r
from bxcore.control.memory import (
    forget_json,
    import_json,
    log_json,
    memory_json,
    outbox_json,
    proposal_json,
    told_json,
)
from bxcore.control.memory_requests import OfMemory, OfOutbox
from bxcore.control.turns import ask_json
from bxcore.memory_views import FileView, ForgetView, ImportView, OutboxView, ProposalView, Told
from bxcore.messages.memory_operator import (
    AcceptProposal,
    Consolidate,
    EditEntry,
    Forget,
    ImportedTurn,
    ImportEntries,
    ImportTurns,
    LiftLabel,
    ListEntries,
    ListRevisions,
    OperatorMessage,
    SearchMemory,
    UndoEdit,
)
from bxcore.messages.outbox import DropRow, OutboxMessage, RetryRows, ShowOutbox
from bxcore.tool_answer import ToolAnswer

MODEL_S = 310.0
"""For a proposal: longer than the memory waits for the model."""
OUTBOX_S = 45.0
"""The outbox may be in the middle of a request to Honcho, and of the look-up behind it."""
FORGET_S = 120.0
"""For the logs of years to be read."""
MOST_K = 10
NO_ID = "id is empty; write the id of an entry, which bxctl memory list shows"


def problem(request: OfMemory | OfOutbox) -> str | None:
    """Why a request's fields cannot be what they stand for, or None."""
    match request:
        case r.MemoryEditRequest() | r.MemoryTrustRequest():
            return _problem_of_edit(request)
        case r.MemoryForgetRequest():
            return _problem_of_forget(request)
        case r.MemorySearchRequest():
            return _problem_of_search(request)
        case r.ImportTurnsRequest(first=number) if number < 1:
            return "first is the number of a turn, from 1"
        case r.MemoryLogRequest(limit=number) | r.OutboxRequest(limit=number) if number < 1:
            return "limit is a number from 1"
        case _:
            return None


def _problem_of_edit(request: r.MemoryEditRequest | r.MemoryTrustRequest) -> str | None:
    if isinstance(request, r.MemoryTrustRequest):
        return None if request.id else NO_ID
    if request.action == "add" and request.file is None:
        return "name the file: memory, user or notes"
    if request.action != "add" and not request.id:
        return NO_ID
    if request.action != "remove" and not request.text.strip():
        return "text is empty; write the text of one entry"
    return None


def _problem_of_search(request: r.MemorySearchRequest) -> str | None:
    if not request.query.strip():
        return "query is empty; write the words to look for"
    return None if 1 <= request.k <= MOST_K else f"k is a number from 1 to {MOST_K}"


def _problem_of_forget(request: r.MemoryForgetRequest) -> str | None:
    if bool(request.session) == bool(request.text):
        return "name a session or a text, and not both"
    if request.text:
        return None if request.text.strip() else "text is empty; write the words that are to be forgotten"
    return session_ids.problem(request.session)


def asked(
    request: OfMemory | OfOutbox, known: Known, usual_s: float
) -> tuple[Mailbox, OperatorMessage | OutboxMessage, float] | str:
    """Whom to ask what, and how long its answer may take; or why it cannot be asked."""
    wrong = problem(request)
    if wrong is not None:
        return wrong
    box = known.outbox if isinstance(request, OfOutbox) else known.memory
    return box, _MESSAGES[type(request)](request), wait_s(request, usual_s)


def _import(request: r.ImportTurnsRequest) -> ImportTurns:
    return ImportTurns(
        conversation=request.conversation,
        turns=tuple(ImportedTurn(user=each.user, reply=each.reply, at=each.at) for each in request.turns),
        first=request.first,
        speaker=request.speaker,
        dry_run=request.dry_run,
    )


def _edit(request: r.MemoryEditRequest) -> EditEntry:
    return EditEntry(action=request.action, file=request.file or "", id=request.id, text=request.text)


_MESSAGES: Mapping[type, Callable[[Any], OperatorMessage | OutboxMessage]] = {
    r.MemoryRequest: lambda request: ListEntries(file=request.file),
    r.MemoryLogRequest: lambda request: ListRevisions(file=request.file, limit=request.limit),
    r.MemoryEditRequest: _edit,
    r.MemoryUndoRequest: lambda request: UndoEdit(number=request.number),
    r.MemoryTrustRequest: lambda request: LiftLabel(id=request.id),
    r.MemorySearchRequest: lambda request: SearchMemory(query=request.query, k=request.k),
    r.MemoryForgetRequest: lambda request: Forget(
        session=request.session, text=request.text, dry_run=request.dry_run
    ),
    r.MemoryConsolidateRequest: lambda request: Consolidate(file=request.file),
    r.MemoryAcceptRequest: lambda request: AcceptProposal(id=request.id, numbers=request.numbers),
    r.ImportTurnsRequest: _import,
    r.ImportEntriesRequest: lambda request: ImportEntries(entries=request.entries, dry_run=request.dry_run),
    r.OutboxRequest: lambda request: ShowOutbox(limit=request.limit),
    r.OutboxRetryRequest: lambda request: RetryRows(id=request.id),
    r.OutboxDropRequest: lambda request: DropRow(id=request.id),
}
"""One message a request; a test holds the two sets to each other."""


def wait_s(request: OfMemory | OfOutbox, usual_s: float) -> float:
    """How long its answer may take."""
    match request:
        case r.MemoryConsolidateRequest():
            return MODEL_S
        case r.MemoryForgetRequest():
            return FORGET_S
        case r.OutboxRequest() | r.OutboxRetryRequest() | r.OutboxDropRequest():
            return max(usual_s, OUTBOX_S)
        case _:
            return usual_s


def shape(value: object) -> object:
    """Put an answer into JSON."""
    if isinstance(value, tuple):
        return memory_json(value) if value and isinstance(value[0], FileView) else log_json(value)
    return _SHAPES[type(value)](value)


_SHAPES: Mapping[type, Callable[[Any], object]] = {
    Told: told_json,
    ToolAnswer: ask_json,
    ForgetView: forget_json,
    ImportView: import_json,
    ProposalView: proposal_json,
    OutboxView: outbox_json,
}


def no(value: object) -> tuple[ErrorCode, str] | None:
    """Why an answer is a "no"."""
    if not isinstance(value, Told) or value.ok:
        return None
    return (ErrorCode.REFUSED if value.known else ErrorCode.NO_SUCH_THING), value.sentence
