"""Messages of the loop and its sessions, and the news of a running turn (spec, chapter 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from bxcore.address import Address
from bxcore.labels import Label
from bxcore.messages.broker import ApprovalNews


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Run one turn of a session. Asked; the reply is a ``TurnResult`` when the turn has ended.

    ``listener`` is told each ``TurnEvent``; ``answers`` says that it can put an approval to a person,
    ``owner`` that the text is the owner's own word. The loop hands this on to the session's actor.
    """

    session: str
    text: str
    speaker: str | None = None
    listener: Address[TurnEvent] | None = None
    answers: bool = False
    owner: bool = False
    kind: Literal["say"] = "say"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTurn:
    """End the session's running turn within a second. Asked; the reply is whether a turn was running."""

    session: str
    kind: Literal["stop_turn"] = "stop_turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSessions:
    """Asked; the reply is a tuple of ``SessionInfo``, the newest first, at most ``limit``."""

    limit: int = 50
    kind: Literal["list_sessions"] = "list_sessions"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowSession:
    """Asked; the reply is the session's ``SessionInfo`` and its turns, or None when there is none."""

    session: str
    kind: Literal["show_session"] = "show_session"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndSession:
    """End the live actor of a session; its log stays. Asked; the reply is whether one was live."""

    session: str
    kind: Literal["end_session"] = "end_session"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSize:
    """Asked; the reply is a ``PromptSizes`` of the baseline that a new session would start with."""

    kind: Literal["prompt_size"] = "prompt_size"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAnswered:
    """The loop tells itself: request ``key`` of a session's actor is over; ``outcome`` is the kernel's."""

    session: str
    key: int
    outcome: object
    kind: Literal["session_answered"] = "session_answered"


LoopMessage: TypeAlias = (
    Say | StopTurn | ListSessions | ShowSession | EndSession | PromptSize | SessionAnswered
)


class TurnBrake(Protocol):
    """Ends one turn from any thread; ``bxio.brake.Brake`` is the one implementation."""

    def pulled(self) -> bool:
        """Whether the turn is to end now."""

    @property
    def over(self) -> bool:
        """Whether the turn has ended, in whatever way."""

    def pull(self) -> None:
        """End the turn within a second. Any thread; never blocks."""

    def release(self) -> None:
        """The turn has ended: a later pull does nothing."""

    def on_pull(self, callback: Callable[[], object]) -> None:
        """Have ``callback`` run once when the brake is pulled; at once when it is already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTurn:
    """The loop hands a ``Say`` to the session's actor. Asked; the reply is a ``TurnResult``."""

    say: Say
    brake: TurnBrake
    kind: Literal["run_turn"] = "run_turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurePrompt:
    """Measure what a new session would start with, and end. Asked; the reply is a ``PromptSizes``."""

    kind: Literal["measure_prompt"] = "measure_prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """Told to a session's actor: end when the turns before this one are done."""

    kind: Literal["leave"] = "leave"


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """A session's actor tells itself: end if nothing was said since its message number ``said``."""

    said: int
    kind: Literal["idle"] = "idle"


SessionMessage: TypeAlias = RunTurn | MeasurePrompt | Leave | Idle


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """The turn's ``User`` record is on disk."""

    session: str
    turn: int
    kind: Literal["turn_started"] = "turn_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A line for the person: an interrupted turn, a model that loads, a round limit."""

    session: str
    text: str
    kind: Literal["notice"] = "notice"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of the reply, as the model writes it."""

    session: str
    text: str
    kind: Literal["text_delta"] = "text_delta"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted:
    """A tool call is on its way."""

    session: str
    call: str
    tool: str
    arguments: str
    kind: Literal["tool_started"] = "tool_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEnded:
    """A tool's result is on disk. ``arguments`` is canonical JSON, or the raw text when it was refused."""

    session: str
    call: str
    tool: str
    arguments: str
    ok: bool
    content: str
    label: Label
    kind: Literal["tool_ended"] = "tool_ended"


TurnEvent: TypeAlias = TurnStarted | Notice | TextDelta | ToolStarted | ToolEnded | ApprovalNews


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one turn, summed over its requests."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """How a turn ended. ``failed`` is one clear sentence when there is no reply, else None."""

    session: str
    turn: int
    reply: str | None
    failed: str | None
    tools: tuple[ToolEnded, ...]
    label: Label
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """What a listing shows of a session; ``updated`` is ISO 8601 in UTC."""

    session: str
    live: bool
    turns: int
    label: Label
    updated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """A session with its turns: the user's text and the reply, None where there is none."""

    info: SessionInfo
    turns: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSizes:
    """Tokens of each part of a baseline; ``estimated`` when no tokenizer was at hand."""

    parts: tuple[tuple[str, int], ...]
    total: int
    limit: int
    estimated: bool
