"""Messages of the audit, the one writer of ``audit.jsonl`` (spec 2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """A decision, on disk before its effect. Asked; the reply is the record's number.

    ``arguments`` is the canonical JSON, or None when the session is secret or the call was refused.
    ``approval`` is the code under which ``approver`` let it run, both None when nobody was asked.
    ``for_session`` says that the code was approved for the session, maybe for an earlier call of it.
    """

    session: str
    turn: int
    call: str
    tool: str
    arguments_sha256: str
    arguments: str | None
    decision: str
    grant: str | None
    grant_sha256: str | None
    label: Label
    approval: str | None = None
    approver: str | None = None
    for_session: bool = False
    kind: Literal["intent"] = "intent"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalOpened:
    """The owner is asked, on disk before anybody is told. Asked; the reply is the record's number."""

    session: str
    turn: int
    call: str
    tool: str
    arguments_sha256: str
    arguments: str | None
    grant: str
    grant_sha256: str
    label: Label
    code: str
    why: str
    kind: Literal["approval_opened"] = "approval_opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalEnded:
    """How it ended, on disk before its effect; ``how`` is one word. Asked; replies the record's number."""

    session: str
    call: str
    code: str
    how: str
    by: str | None
    kind: Literal["approval_ended"] = "approval_ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantsLoaded:
    """Which grants are in force from now on: id and sha256 of each. Asked; replies the record's number.

    ``why`` is ``start`` when a broker begins: what an earlier one ran and did not end is unknown for ever.
    """

    grants: tuple[tuple[str, str], ...]
    why: str
    kind: Literal["grants_loaded"] = "grants_loaded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of an intent. Asked; replies the record's number once it is written.

    It is put on disk right after; ``Settled`` waits for that, so that the log's own sync runs beside it.
    """

    session: str
    call: str
    outcome: str
    label_before: Label
    label_after: Label
    duration_ms: int
    kind: Literal["outcome"] = "outcome"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Asked before a result is shown to a model; the reply comes once record ``number`` is on disk."""

    number: int
    kind: Literal["settled"] = "settled"


AuditMessage: TypeAlias = Intent | ApprovalOpened | ApprovalEnded | GrantsLoaded | Outcome | Settled
