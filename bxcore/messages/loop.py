"""Messages of the loop and its sessions, and the news of a running turn (spec, chapter 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from bxcore.address import Address, Delivery
from bxcore.labels import Label
from bxcore.messages.broker import ApprovalNews


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Run one turn of a session. Asked; the reply is a ``TurnResult`` when the turn has ended.

    ``listener`` is told each ``TurnEvent``; ``answers`` says that it can put an approval to a person,
    ``owner`` that the text is the owner's own word. The loop hands this on to the session's actor; while
    another turn runs there it waits, and ``listener`` is told its place. One whose asker has gone before its
    turn began is dropped: nothing of it was on disk, and who asks again wants it once.
    """

    session: str
    text: str
    speaker: str | None = None
    listener: Address[TurnEvent] | None = None
    answers: bool = False
    owner: bool = False
    kind: Literal["say"] = "say"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSession:
    """Tell ``listener`` each ``TurnEvent`` of the session, live or not, whoever asked for the turn.

    In the middle of a turn it is first told what that turn has shown so far. Asked or told; the reply is
    None, or a ``Refusal`` when too many watch. It ends with ``LeaveSession``, or when the listener is closed.
    """

    session: str
    listener: Address[TurnEvent]
    kind: Literal["watch_session"] = "watch_session"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveSession:
    """Told: this listener of ``WatchSession`` is told no more."""

    session: str
    listener: Address[TurnEvent]
    kind: Literal["leave_session"] = "leave_session"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTurn:
    """End the session's running turn within a second; those that wait go on after it.

    Asked; the reply is whether a turn was running.
    """

    session: str
    kind: Literal["stop_turn"] = "stop_turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSessions:
    """Asked; the reply is a tuple of ``SessionInfo``, the newest first, at most ``limit``."""

    limit: int = 50
    kind: Literal["list_sessions"] = "list_sessions"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowSession:
    """Asked; the reply is a ``SessionView`` with at most the ``last`` turns, or None when there is none."""

    session: str
    last: int = 50
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
    Say
    | WatchSession
    | LeaveSession
    | StopTurn
    | ListSessions
    | ShowSession
    | EndSession
    | PromptSize
    | SessionAnswered
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


class TurnAudience(Protocol):
    """Whom a session's turns are told to; ``bxio.audience.Audience`` is the one implementation."""

    def begin(self, asker: Address[TurnEvent] | None, brake: TurnBrake) -> None:
        """A turn begins: ``asker`` and the watchers are told of it, and ``brake`` ends it."""

    def tell(self, event: TurnEvent) -> Delivery:
        """Tell all of them; what became of it at the asker, who is the one to be asked for approvals."""

    def over(self, result: TurnResult) -> None:
        """The turn has ended, and what it came to is on disk: tell the watchers."""

    def lost(self, brake: TurnBrake, sentence: str) -> None:
        """The turn of that brake came to no result; nothing when it is over already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTurn:
    """The loop hands a ``Say`` to the session's actor. Asked; the reply is a ``TurnResult``."""

    say: Say
    brake: TurnBrake
    audience: TurnAudience
    kind: Literal["run_turn"] = "run_turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSessions:
    """Read what is wished for from the logs, and end. Asked of an errand of the loop.

    ``live`` has the sessions that live, each with the number of its waiting messages.
    """

    wish: ListSessions | ShowSession
    live: Mapping[str, int]
    kind: Literal["read_sessions"] = "read_sessions"


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
    """The turn's ``User`` record is on disk: what was said, and by whom."""

    session: str
    turn: int
    text: str = ""
    speaker: str | None = None
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
class TurnOver:
    """Told to watchers: the turn that they saw begin has ended, and what it came to is on disk.

    The asker gets the same ``TurnResult`` as its reply. One that was lost in a crash has ``failed``, and the
    top label, since nobody knows its own.
    """

    result: TurnResult
    kind: Literal["turn_over"] = "turn_over"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """Told to an asker: its message waits; ``place`` 1 is the next. Told again when it moves."""

    session: str
    place: int
    kind: Literal["queued"] = "queued"


TurnEvent: TypeAlias = (
    Queued | TurnStarted | Notice | TextDelta | ToolStarted | ToolEnded | ApprovalNews | TurnOver
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """What a listing shows of a session; ``updated`` is ISO 8601 in UTC.

    ``title`` is the first message on one line, at most 60 characters, secrets redacted; ``waiting`` are the
    messages that wait behind its running turn.
    """

    session: str
    live: bool
    turns: int
    label: Label
    updated: str
    title: str = ""
    waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnText:
    """What was said in a turn. Without a reply ``failed`` says why; it is None when the turn is not over."""

    user: str
    reply: str | None = None
    failed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """A session with its last turns; ``first`` is the number of the first one that is here."""

    info: SessionInfo
    turns: tuple[TurnText, ...]
    first: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSizes:
    """Tokens of each part of a baseline; ``estimated`` when no tokenizer was at hand."""

    parts: tuple[tuple[str, int], ...]
    total: int
    limit: int
    estimated: bool
