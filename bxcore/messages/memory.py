"""Messages of the memory (spec, chapter 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.args import AskMemoryArgs, MemoryArgs, RecallArgs
from bxcore.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Find past turns and notes. Asked; the reply is a ``ToolAnswer``.

    Hits of ``session`` itself are left out, but for those of its earlier epochs. ``trusted_only`` is the
    loop's own recall before a turn: trusted items of at most class private, so that it never raises a taint.
    """

    args: RecallArgs
    session: str
    trusted_only: bool = False
    kind: Literal["recall"] = "recall"


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMemory:
    """Edit one of the three files. ``state`` is the session's label. Asked; replies a ``ToolAnswer``."""

    args: MemoryArgs
    session: str
    turn: int
    state: Label
    kind: Literal["edit_memory"] = "edit_memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskMemory:
    """Ask one or two Honcho workspaces. Asked; the reply is a ``ToolAnswer`` within one limit."""

    args: AskMemoryArgs
    session: str
    kind: Literal["ask_memory"] = "ask_memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryBlock:
    """Asked at a session's start; the reply is the text of the baseline's memory block, empty when none."""

    kind: Literal["memory_block"] = "memory_block"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """News from the loop: a turn of a session has ended, and its log is on disk. Told."""

    session: str
    turn: int
    kind: Literal["turn_ended"] = "turn_ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatsGathered:
    """The memory tells itself: every chat of ask ``key`` has answered or the shared deadline has passed."""

    key: str
    outcomes: tuple[object, ...]
    kind: Literal["chats_gathered"] = "chats_gathered"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUp:
    """The memory tells itself: take in the next sessions whose logs have grown unseen."""

    kind: Literal["catch_up"] = "catch_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class TellOutbox:
    """The memory tells itself: the outbox had no room, tell it once more to look at the ledger."""

    kind: Literal["tell_outbox"] = "tell_outbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchesGathered:
    """The memory tells itself: Honcho's searches for recall ``key`` have answered, or 2 s have passed."""

    key: int
    outcomes: tuple[object, ...]
    kind: Literal["searches_gathered"] = "searches_gathered"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalCame:
    """The memory tells itself: the model's answer to consolidation ``key``, or its deadline, has come."""

    key: int
    outcome: object
    kind: Literal["proposal_came"] = "proposal_came"


MemoryMessage: TypeAlias = (
    ProposalCame
    | SearchesGathered
    | Recall
    | EditMemory
    | AskMemory
    | MemoryBlock
    | TurnEnded
    | ChatsGathered
    | CatchUp
    | TellOutbox
)
