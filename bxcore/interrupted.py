"""A turn that a crash cut short: found in the log, closed there, and told; never run again (spec 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from bxcore.labels import OWN_WORDS
from bxcore.records import Assistant, Record, ToolCall, ToolResult, Usage, User
from bxcore.turn_spans import is_over, spans

UNKNOWN = "unknown: the turn was interrupted before this call's outcome was noted; it is not made again"
INTERRUPTED = "interrupted before its end"
NOTHING_KNOWN: Mapping[str, str] = MappingProxyType({})
QUOTED = 60
"""Characters of the interrupted message that the notice repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """``records`` close the turn in the log, before the next ``User``; ``notice`` is for the person."""

    turn: int
    records: tuple[Record, ...]
    notice: str


def calls_left(records: Sequence[Record]) -> tuple[str, ...]:
    """The ids of the calls without a result of a turn that was cut short; none where none was."""
    return tuple(call.id for call in _without_result(_cut_short(spans(records), records)))


def find(
    records: Sequence[Record], became: Mapping[str, str] = NOTHING_KNOWN, *, before: int = 0
) -> Interrupted | None:
    """The last turn, when it neither got its reply nor was told as failed; else None.

    ``records`` may be those of the last turn alone, with the number of the turns ``before`` it.
    ``became`` has a sentence for each call of which more is known than the log tells: that it did not run.
    """
    known = spans(records)
    turn = _cut_short(known, records)
    if not turn:
        return None
    user, number, left = turn[0], before + len(known), _without_result(turn)
    assert isinstance(user, User)
    closing = tuple(_closing(call, became.get(call.id, UNKNOWN)) for call in left)
    return Interrupted(
        turn=number,
        records=(*closing, Usage(failed=INTERRUPTED)),
        notice=_notice(number, user.text, left, became),
    )


def _cut_short(known: Sequence[tuple[int, int]], records: Sequence[Record]) -> Sequence[Record]:
    turn = records[slice(*known[-1])] if known else ()
    return () if is_over(turn) else turn


def _without_result(turn: Sequence[Record]) -> list[ToolCall]:
    answered = {record.call for record in turn if isinstance(record, ToolResult)}
    calls = (call for record in turn if isinstance(record, Assistant) for call in record.tool_calls)
    return [call for call in calls if call.id not in answered]


def _closing(call: ToolCall, content: str) -> ToolResult:
    return ToolResult(
        call=call.id,
        tool=call.name,
        content=content,
        ok=False,
        level=OWN_WORDS.level,
        untrusted=OWN_WORDS.untrusted,
    )


def _notice(number: int, text: str, left: Sequence[ToolCall], became: Mapping[str, str]) -> str:
    quoted = " ".join(text.split())
    quoted = quoted if len(quoted) <= QUOTED else f"{quoted[:QUOTED]}…"
    said = f'turn {number} ("{quoted}") was interrupted before its end, and is not run again'
    if not left:
        return f"{said}; say it again if you still want it"
    known = "".join(f"; {call.name}: {became[call.id]}" for call in left if call.id in became)
    unknown = ", ".join(call.name for call in left if call.id not in became)
    return said + known + (f"; whether {unknown} took effect is unknown" if unknown else "")
