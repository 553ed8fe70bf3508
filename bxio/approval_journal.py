"""The approvals' journal: what waits and what is over, on disk before it counts (spec 2.3, step 4).

It outlives the broker's actor, not the process: a record names the process that wrote it, and those of an
earlier one are closed as expired. One thread uses it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bxcore import journal
from bxcore.approvals import Approvals, Event, Over, records
from bxcore.errors import system_reason
from bxio.folders import write_whole
from bxio.journal_file import JournalError, JournalFile


@dataclass(frozen=True, slots=True)
class Found:
    """What the journal held, what the end of an earlier process closed, and a line about a torn tail.

    ``of_earlier`` says that there are records of an earlier process, which ``begin_anew`` takes out.
    """

    approvals: Approvals
    closed: tuple[Over, ...]
    of_earlier: bool
    torn_note: str | None


class ApprovalJournal:
    """``instance`` is the process's own id. ``open`` it, then ``write``; each error is a ``JournalError``."""

    def __init__(self, path: Path, instance: str) -> None:
        self._path = path
        self._instance = instance
        self._file: JournalFile | None = None

    def open(self) -> Found:
        """Read what is there. An earlier process's records stay until ``begin_anew``."""
        self.close()
        file = self._file = JournalFile.open(self._path)
        torn = file.torn
        try:
            approvals, closed, of_earlier = records.read(file.payloads, self._instance)
        except records.RecordError as error:
            self.close()
            raise JournalError(f"{self._path}: {error}; move it away, what waited is asked again") from None
        note = None if torn is None else f"{torn.size} torn bytes were cut and kept in {torn.kept.name}"
        return Found(approvals, closed, of_earlier, note)

    def begin_anew(self, approvals: Approvals) -> None:
        """Write the journal anew, with only what a new process has to know of the earlier ones."""
        self.close()
        payloads = tuple(records.kept(approvals, self._instance))
        data, _ = journal.frame(payloads, 0, journal.START, first=0)
        try:
            write_whole(self._path, data)
        except OSError as error:
            raise JournalError(f"{self._path} cannot be written: {system_reason(error)}") from None
        self._file = JournalFile.open(self._path)

    def write(self, event: Event) -> None:
        """Put one event on disk."""
        if self._file is None:
            raise JournalError(f"{self._path} is not open")
        self._file.append([records.dump(event, self._instance)], sync=True)

    def close(self) -> None:
        """Close the file and free its lock; a second call does nothing."""
        file, self._file = self._file, None
        if file is not None:
            file.close()
