"""A session's label is a fold over its log, and lives nowhere else (spec 2.1)."""

from __future__ import annotations

from collections.abc import Iterable

from bxcore.labels import NEW_SESSION, TOP, Label, join
from bxcore.records import Record, SessionStart, ToolResult


def label_of(records: Iterable[Record]) -> Label:
    """The join of the session's start and of every tool result.

    A log with no record yet is a new session: private and trusted. A log that does not begin with its
    ``SessionStart`` tells nothing about what was read before: secret and untrusted.
    """
    log = tuple(records)
    if not log:
        return NEW_SESSION
    if not isinstance(log[0], SessionStart):
        return TOP
    return join(*(label for record in log if (label := _label(record)) is not None))


def _label(record: Record) -> Label | None:
    match record:
        case SessionStart(level=level):
            return Label(level, untrusted=False)
        case ToolResult(level=level, untrusted=untrusted):
            return Label(level, untrusted)
        case _:
            return None
