"""A turn that a crash cut short: found in the log, closed there, and told; never run again (spec 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bxcore.labels import OWN_WORDS
from bxcore.records import Assistant, Record, ToolCall, ToolResult, Usage, User
from bxcore.turn_spans import is_over, spans

UNKNOWN = "unknown: the turn was interrupted before this call's outcome was noted; it is not made again"
INTERRUPTED = "interrupted before its end"
QUOTED = 60
"""Characters of the interrupted message that the notice repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """``records`` close the turn in the log, before the next ``User``; ``notice`` is for the person."""

    turn: int
    records: tuple[Record, ...]
    notice: str


def find(records: Sequence[Record]) -> Interrupted | None:
    """The last turn, when it neither got its reply nor was told as failed; else None."""
    known = spans(records)
    turn = records[slice(*known[-1])] if known else ()
    if not turn or is_over(turn):
        return None
    user, number, left = turn[0], len(known), _without_result(turn)
    assert isinstance(user, User)
    closing = tuple(_unknown(call) for call in left)
    return Interrupted(
        turn=number,
        records=(*closing, Usage(failed=INTERRUPTED)),
        notice=_notice(number, user.text, left),
    )


def _without_result(turn: Sequence[Record]) -> list[ToolCall]:
    answered = {record.call for record in turn if isinstance(record, ToolResult)}
    calls = (call for record in turn if isinstance(record, Assistant) for call in record.tool_calls)
    return [call for call in calls if call.id not in answered]


def _unknown(call: ToolCall) -> ToolResult:
    return ToolResult(
        call=call.id,
        tool=call.name,
        content=UNKNOWN,
        ok=False,
        level=OWN_WORDS.level,
        untrusted=OWN_WORDS.untrusted,
    )


def _notice(number: int, text: str, left: Sequence[ToolCall]) -> str:
    quoted = " ".join(text.split())
    quoted = quoted if len(quoted) <= QUOTED else f"{quoted[:QUOTED]}…"
    said = f'turn {number} ("{quoted}") was interrupted before its end, and is not run again'
    if not left:
        return f"{said}; say it again if you still want it"
    return f"{said}; whether {', '.join(call.name for call in left)} took effect is unknown"
