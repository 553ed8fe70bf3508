"""Messages of the audit, the one writer of ``audit.jsonl`` (spec 2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """A decision, on disk before its effect. Asked; the reply is the record's number.

    ``arguments`` is the canonical JSON, or None when the session is secret or the call was refused.
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
    kind: Literal["intent"] = "intent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of an intent, on disk before the result goes back. Asked; replies the record number."""

    session: str
    call: str
    outcome: str
    label_before: Label
    label_after: Label
    duration_ms: int
    kind: Literal["outcome"] = "outcome"


AuditMessage: TypeAlias = Intent | Outcome
