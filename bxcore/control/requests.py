"""What may be asked over the control socket, one value a request (spec 6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.control.memory_requests import OfMemory, OfOutbox

LAST_TURNS = 50
"""Turns of a session that are shown when no number is said."""
MAIN_SESSION = "main"
"""The session that goes on when none is named."""
OPERATOR = "operator"
"""The session name under which an operator's own questions to memory run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """Run one turn; answered as a stream of lines, the last one ``result`` or ``error``.

    ``answers`` says that the client shows a person each approval that the turn asks for.
    """

    text: str
    session: str = MAIN_SESSION
    speaker: str | None = None
    answers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRequest:
    """Be shown every turn of a session, whoever asks for it; answered as a stream of lines without an end."""

    session: str = MAIN_SESSION


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTurnRequest:
    """End the session's running turn."""

    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusRequest:
    """How the box does, on one screen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRequest:
    """Every actor with its state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartRequest:
    """Restart one actor by name, or every worker."""

    name: str | None = None
    all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRequest:
    """Stop an actor and keep it stopped."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRequest:
    """Start an actor that was stopped by hand."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectRequest:
    """What is known of one actor, without asking it."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StackRequest:
    """Where an actor's thread is now; the names of functions and lines, no values."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLettersRequest:
    """The newest dead letters, at most ``limit``, and the counts."""

    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsRequest:
    """The sessions, the newest first."""

    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest:
    """One session with its last turns, at most ``last``."""

    session: str
    last: int = LAST_TURNS


@dataclass(frozen=True, slots=True, kw_only=True)
class EndSessionRequest:
    """End the live actor of a session; its log stays."""

    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """Ask memory directly, as the operator."""

    question: str
    workspaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalsRequest:
    """The calls that wait for the owner's word, the oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerApprovalRequest:
    """The owner's word on an approval; ``by`` names the surface that it was given at."""

    code: str
    approve: bool
    for_session: bool = False
    by: str = "the control socket"


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantsRequest:
    """The grants in force."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadGrantsRequest:
    """Read the owner's grants again; a bad set changes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRequest:
    """Decide a call and say why; nothing runs.

    ``arguments`` is JSON text, ``session_class`` and ``untrusted`` are the label of the session that it would
    come from, ``said`` is the owner's own message of the turn.
    """

    tool: str
    arguments: str
    session_class: Literal["public", "private", "secret"] = "private"
    untrusted: bool = False
    said: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTailRequest:
    """The newest calls of the audit, at most ``limit``, the oldest of them first."""

    limit: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditShowRequest:
    """The call that record ``number`` of the audit belongs to."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditVerifyRequest:
    """Walk the audit's chain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorRequest:
    """Everything that the process knows of its own health, each with what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSizeRequest:
    """The size of each part of a new session's baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRequest:
    """Which version answers."""


Request: TypeAlias = (
    OfMemory
    | OfOutbox
    | ChatRequest
    | WatchRequest
    | StopTurnRequest
    | StatusRequest
    | TreeRequest
    | RestartRequest
    | StopRequest
    | StartRequest
    | InspectRequest
    | StackRequest
    | DeadLettersRequest
    | SessionsRequest
    | SessionRequest
    | EndSessionRequest
    | AskRequest
    | ApprovalsRequest
    | AnswerApprovalRequest
    | GrantsRequest
    | ReloadGrantsRequest
    | ExplainRequest
    | AuditTailRequest
    | AuditShowRequest
    | AuditVerifyRequest
    | DoctorRequest
    | PromptSizeRequest
    | VersionRequest
)
