"""Where the turns of a log begin and end, and what became of each (spec 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from bxcore.records import Assistant, Record, ToolResult, Usage, User


def spans(records: Sequence[Record]) -> list[tuple[int, int]]:
    """Each turn's place in the log, its ``User`` record at the start; ``records[start:end]`` is the turn."""
    starts = [place for place, record in enumerate(records) if isinstance(record, User)]
    return list(zip(starts, [*starts, len(records)][1:], strict=True))


def reply_of(turn: Sequence[Record]) -> str | None:
    """The text of the turn's last ``Assistant`` when it calls no tool and nothing ran after it, else None."""
    last = next((record for record in reversed(turn) if isinstance(record, (Assistant, ToolResult))), None)
    return last.content if isinstance(last, Assistant) and not last.tool_calls else None


def is_over(turn: Sequence[Record]) -> bool:
    """Whether the turn got its reply or was told as failed; another one runs still, or was interrupted."""
    return reply_of(turn) is not None or any(isinstance(record, Usage) for record in turn)
