"""The turns of a log that came to a reply, as memory takes them in (spec 3.1, 4.1, 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bxcore.labels import Label
from bxcore.records import Assistant, Record, ToolResult, User
from bxcore.session_fold import labels_after


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedTurn:
    """A turn with its reply. ``at`` is ISO 8601 or empty; ``label`` is the session's when the turn ended.

    What tools gave is not in it: what recall or ask_memory returned is never remembered again.
    """

    session: str
    turn: int
    at: str
    user: str
    reply: str
    label: Label


def finished_turns(session: str, records: Sequence[Record]) -> Iterator[FinishedTurn]:
    """Every turn that came to a reply, in order; a failed or interrupted one is left out."""
    labels = tuple(labels_after(records))
    starts = [place for place, record in enumerate(records) if isinstance(record, User)]
    for turn, (start, end) in enumerate(zip(starts, [*starts, len(records)][1:], strict=True), 1):
        user = records[start]
        reply = reply_of(records[start:end])
        if isinstance(user, User) and reply is not None:
            yield FinishedTurn(
                session=session,
                turn=turn,
                at=user.at,
                user=user.text,
                reply=reply,
                label=labels[end - 1],
            )


def reply_of(turn: Iterable[Record]) -> str | None:
    """The text of the turn's last ``Assistant`` when it calls no tool and nothing ran after it, else None."""
    said = [record for record in turn if isinstance(record, (Assistant, ToolResult))]
    last = said[-1] if said else None
    return last.content if isinstance(last, Assistant) and not last.tool_calls else None
