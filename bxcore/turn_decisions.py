"""The ledger's rows: where each turn is remembered, decided once when it has ended (spec 4.6, 4.7)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bxcore.decide import Action, Send, Skip, Workspace, decide
from bxcore.epochs import turns_before
from bxcore.records import Record, User
from bxcore.session_fold import labels_after
from bxcore.turn_spans import is_over, spans

NOT_SAVED = "the configuration saves nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One row. ``size`` is the bytes that the session's log had when it was read for the decision.

    ``log`` tells that log from another one of the same name, begun after it was deleted. ``at`` is when the
    turn was said, ISO 8601, or empty.
    """

    session: str
    turn: int
    size: int
    action: Action
    log: str = ""
    at: str = ""


def ended_turns(records: Sequence[Record]) -> int:
    """Up to which turn a log's turns are over: the last one may still run.

    Here as below, ``records`` are a log, or its epochs from a later one on.
    """
    known = spans(records)
    count = turns_before(records) + len(known)
    return count - 1 if known and not is_over(records[slice(*known[-1])]) else count


def decide_turns(
    records: Sequence[Record], numbers: range, *, agent: str, save: bool
) -> Iterator[tuple[int, Action]]:
    """Decide turns in order, each on the session's label as it was when that turn ended.

    ``agent`` is this agent's own peer name; without ``save`` every turn is skipped. That label holds what
    earlier turns read, so each is decided on its own records: a long log takes time in step with its length.
    """
    labels = tuple(labels_after(records))
    known, before = spans(records), turns_before(records)
    for turn in numbers:
        start, end = known[turn - 1 - before]
        state = labels[end - 1]
        yield turn, decide(state, records[start:end], 1, agent) if save else Skip(NOT_SAVED)


def said_at(records: Sequence[Record]) -> dict[int, str]:
    """When each turn was said, ISO 8601, or empty."""
    users = (record for record in records if isinstance(record, User))
    return {turn: user.at for turn, user in enumerate(users, turns_before(records) + 1)}


def dump(row: Decided) -> str:
    """A row as one line of ASCII JSON, without the line end."""
    found: dict[str, Any] = {"session": row.session, "turn": row.turn, "size": row.size}
    found |= {name: value for name, value in (("log", row.log), ("at", row.at)) if value}
    match row.action:
        case Send(workspace, speaker):
            found |= {"workspace": workspace.value, "speaker": speaker}
        case Skip(reason):
            found |= {"skip": reason}
    return json.dumps(found, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def parse(text: str) -> Decided:
    """Read what ``dump`` wrote; raises ``ValueError``."""
    try:
        found = json.loads(text)
        return Decided(
            session=found["session"],
            turn=found["turn"],
            size=found["size"],
            action=_action(found),
            log=found.get("log", ""),
            at=found.get("at", ""),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"no row of the ledger: {error}") from None


def _action(found: Mapping[str, Any]) -> Action:
    if "skip" in found:
        return Skip(found["skip"])
    return Send(Workspace(found["workspace"]), found["speaker"])
