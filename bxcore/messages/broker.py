"""Messages of the broker (spec 2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """One tool call of a turn, arguments as the model wrote them. Asked; the reply is a ``ToolOutcome``."""

    session: str
    turn: int
    call: str
    tool: str
    arguments: str
    kind: Literal["tool_request"] = "tool_request"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLabel:
    """Asked; the reply is the session's ``Label`` so far."""

    session: str
    kind: Literal["session_label"] = "session_label"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDone:
    """The broker tells itself: the memory answered call ``key``, or did not in time."""

    key: str
    outcome: object
    kind: Literal["memory_done"] = "memory_done"


BrokerMessage: TypeAlias = ToolRequest | SessionLabel | MemoryDone


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What the model is shown of a call, with the result's label and the session's label after it.

    ``arguments`` is the canonical JSON, or the raw text when it was refused.
    """

    call: str
    tool: str
    arguments: str
    ok: bool
    content: str
    label: Label
    session_label: Label
