"""Audit: the one writer of ``audit.jsonl``; when it cannot write, no call runs (spec 2.4).

A record that cannot be written is a refusal, never a crash: the box stays up, the broker refuses the call.
An outcome is answered between its write and its sync, so that the session's log is synced meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, assert_never

from loguru import logger

from actors.base import Actor, Context, Refusal
from bxcore.audit_chain import Broken
from bxcore.audit_record import Recorded, fields
from bxcore.messages.audit import (
    ApprovalEnded,
    ApprovalOpened,
    AuditMessage,
    GrantsLoaded,
    Intent,
    Outcome,
    Settled,
)
from bxio import audit_reader
from bxio.audit_log import AuditLog
from bxio.journal_file import JournalError


class Audit(Actor):
    """``now`` gives ISO 8601 in UTC; ``tell`` hears why nothing can be written, and None once it can.

    ``tell_broken`` hears at the start where the chain does not hold, of a file that is small enough.
    """

    def __init__(
        self,
        context: Context,
        *,
        path: Path,
        now: Callable[[], str],
        tell: Callable[[str | None], object] = lambda _: None,
        tell_broken: Callable[[str], object] = lambda _: None,
    ) -> None:
        super().__init__(context)
        self._path = path
        self._wall = now
        self._tell = tell
        self._tell_broken = tell_broken
        self._log: AuditLog | None = None
        self._refused = 0

    def on_start(self) -> None:
        """Open the log and say what was mended; a log that cannot be opened is said and tried again later."""
        try:
            self._opened()
            self._tell(None)
        except JournalError as error:
            self._tell(error.sentence)
            logger.error("audit: no call runs: {}", error.sentence)
        else:
            self._walk()

    def on_receive(self, message: AuditMessage) -> int:
        """Take one record; the reply is its number. Refused when it cannot be put on disk."""
        match message:
            case Intent() | ApprovalOpened() | ApprovalEnded() | GrantsLoaded():
                return self._on_disk(message)
            case Outcome():
                return self._on_outcome(message)
            case Settled(number=number):
                return self._on_settled(number)
            case _:
                assert_never(message)

    def on_stop(self) -> None:
        """Close the log; every record is on disk already."""
        if self._log is not None:
            self._log.close()

    def facts(self) -> Mapping[str, str | int | float]:
        """The last record on disk, its line's sha256, and how many could not be written."""
        if self._log is None:
            return {"records": 0, "not_written": self._refused}
        return {"records": self._log.settled, "head": self._log.head.sha256, "not_written": self._refused}

    def _on_disk(self, message: Intent | ApprovalOpened | ApprovalEnded | GrantsLoaded) -> int:
        """Nothing of what the record tells may happen before this returns."""
        try:
            number = self._opened().record(self._fields(message))
        except JournalError as error:
            raise self._not_written(error) from None
        self._tell(None)
        return number

    def _on_outcome(self, message: Outcome) -> int:
        """Answer once a kill cannot lose it, then sync it, before any other message."""
        try:
            log = self._opened()
            number = log.write(self._fields(message))
        except JournalError as error:
            raise self._not_written(error) from None
        reply = self.reply_later()
        if reply is not None:
            reply.set(number)
        try:
            log.sync()
            self._tell(None)
        except JournalError as error:
            self._not_written(error)
        return number

    def _on_settled(self, number: int) -> int:
        """After a failed sync nothing counts as settled: what lies beside the lost record may be lost too."""
        try:
            log = self._opened()
            log.check()
        except JournalError as error:
            raise Refusal(error.sentence) from None
        if not 1 <= number <= log.settled:
            raise Refusal(f"the audit has no record {number} on disk; its last one is {log.settled}")
        return number

    def _fields(self, message: Recorded) -> dict[str, Any]:
        return {"time": self._wall(), **fields(message)}

    def _not_written(self, error: JournalError) -> Refusal:
        self._refused += 1
        self._tell(error.sentence)
        logger.error("audit: not written: {}", error.sentence)
        return Refusal(error.sentence)

    def _walk(self) -> None:
        """Say where the chain does not hold; the log goes on all the same, so that calls are recorded."""
        try:
            found = audit_reader.verify_small(self._path)
        except OSError:
            return  # who writes it will say
        if isinstance(found, Broken):
            logger.warning("audit: the chain is broken, somebody changed the file: {}", found.sentence)
            self._tell_broken(found.sentence)

    def _opened(self) -> AuditLog:
        if self._log is None:
            self._log = AuditLog.open(self._path)
            if self._log.torn is not None:
                torn = self._log.torn
                logger.warning(
                    "audit: a torn last line of {} bytes was cut and kept in {}", torn.size, torn.kept.name
                )
            head = self._log.head
            logger.info("audit: {} records, the last one's sha256 is {}", head.number, head.sha256)
        return self._log
