"""Where a finished turn is remembered: decided once, by the first row that holds (spec 4.6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from bxcore.errors import SentenceError
from bxcore.labels import Label, Level
from bxcore.records import Record, ToolResult, User
from bxcore.sanitize import has_secret
from bxcore.turn_spans import reply_of, spans
from bxcore.workspaces import is_honcho_name


class Workspace(StrEnum):
    """One of this agent's two own workspaces; the configuration says what each is called."""

    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"


@dataclass(frozen=True, slots=True)
class Skip:
    """The turn is not remembered in Honcho; ``reason`` says why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Send:
    """The turn goes to a workspace, the user's message as said by ``speaker`` (a Honcho peer name)."""

    workspace: Workspace
    speaker: str


Action: TypeAlias = Skip | Send


class NoSuchTurn(SentenceError):  # noqa: N818  # the name is part of the contract (spec 6.5)
    """The log has no such turn; ``sentence`` says how many it has."""

    def __init__(self, turn: int, count: int) -> None:
        super().__init__(f"turn {turn} is not in the session's log, which has {count} turns")


def turns(records: Sequence[Record]) -> int:
    """How many turns a log has: one for each ``User`` record."""
    return len(spans(records))


def turn_records(records: Sequence[Record], turn: int) -> tuple[Record, ...]:
    """A turn's records, its ``User`` record first; turns count from 1. Raises ``NoSuchTurn``."""
    start, end = _span(records, turn)
    return tuple(records[start:end])


def peer_name(speaker: str) -> str:
    """The Honcho peer that a speaker is: each ``.`` made ``_``. It may still be no Honcho name."""
    return speaker.replace(".", "_")


def decide(state: Label, records: Sequence[Record], turn: int, agent: str) -> Action:
    """The first row of the table in 4.6 that holds. ``state`` is the broker's label of the session.

    ``agent`` is this agent's own peer name. Raises ``NoSuchTurn``.
    """
    start, end = _span(records, turn)
    user = records[start]
    assert isinstance(user, User)
    reply = reply_of(records[start:end]) or ""
    peer = peer_name(user.speaker) if user.speaker else ""
    reason = _reason_to_skip(state, user, peer, agent, reply)
    if reason is not None:
        return Skip(reason)
    tainted = state.untrusted or any(
        isinstance(record, ToolResult) and record.untrusted for record in records[:end]
    )
    return Send(Workspace.UNTRUSTED if tainted else Workspace.TRUSTED, peer)


def _reason_to_skip(state: Label, user: User, peer: str, agent: str, reply: str) -> str | None:
    rows: tuple[tuple[Callable[[], bool], str], ...] = (
        (lambda: state.level >= Level.SECRET, "the session is secret"),
        (lambda: not user.speaker, "the turn has no single speaker"),
        (lambda: not is_honcho_name(peer), "the speaker is not a Honcho peer name"),
        (lambda: peer == agent, "the speaker has the agent's peer name"),
        (lambda: not reply.strip(), "the turn has no reply"),
        (lambda: has_secret(user.text) or has_secret(reply), "the turn's text holds a secret"),
    )
    return next((reason for holds, reason in rows if holds()), None)


def _span(records: Sequence[Record], turn: int) -> tuple[int, int]:
    known = spans(records)
    if not 1 <= turn <= len(known):
        raise NoSuchTurn(turn, len(known))
    return known[turn - 1]
