"""A session's label is a fold over its log, and lives nowhere else (spec 2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from bxcore.labels import NEW_SESSION, TOP, Label, join
from bxcore.records import Record, SessionStart, ToolResult, User


def label_of(records: Iterable[Record]) -> Label:
    """The join of the session's start and of every tool result.

    A log with no record yet is a new session: private and trusted. A log that does not begin with its
    ``SessionStart`` tells nothing about what was read before: secret and untrusted.
    """
    label = NEW_SESSION
    for label in labels_after(records):  # noqa: B007 (the last one counts)
        pass
    return label


def labels_after(records: Iterable[Record]) -> Iterator[Label]:
    """The session's label after each record, in one walk."""
    log = iter(records)
    first = next(log, None)
    if first is None:
        return iter(())
    start = Label(first.level, first.untrusted) if isinstance(first, SessionStart) else TOP
    return accumulate(log, _joined, initial=start)


def _joined(label: Label, record: Record) -> Label:
    """The label behind one more record; most add nothing."""
    if isinstance(record, SessionStart | ToolResult):
        return join(label, Label(record.level, record.untrusted))
    return label


def log_of(records: Iterable[Record]) -> str:
    """What tells this log from another one of the same session's name; empty for an old log, or for none."""
    first = next(iter(records), None)
    return first.log if isinstance(first, SessionStart) else ""


class SoFar:
    """What a session has come to, kept while its log grows: each record costs the same (spec 2.1, 3.1).

    Begun with the records from its start on, or with those of a later epoch, whose start has the rest.
    """

    def __init__(self, records: Sequence[Record] = ()) -> None:
        self.label = NEW_SESSION
        self.epoch = 0
        self.turns = 0
        self._begun = False
        self.take(records)

    def take(self, added: Sequence[Record]) -> None:
        """The records that were appended."""
        if added and not self._begun:
            self._begin(added[0])
        for record in added:
            self.label = _joined(self.label, record)
            self.turns += isinstance(record, User)

    def _begin(self, first: Record) -> None:
        self._begun = True
        self.label = label_of([first])
        if isinstance(first, SessionStart):
            self.epoch, self.turns = first.epoch, first.turns
