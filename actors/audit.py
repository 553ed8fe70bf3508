"""Audit: the one writer of ``audit.jsonl``; when it cannot write, no call runs (spec 2.4).

A record that cannot be written is a refusal, never a crash: the box stays up, the broker refuses the call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, assert_never

from loguru import logger

from actors.base import Actor, Context, Refusal
from bxcore.labels import Label
from bxcore.messages.audit import (
    ApprovalEnded,
    ApprovalOpened,
    AuditMessage,
    GrantsLoaded,
    Intent,
    Outcome,
    Settled,
)
from bxio.audit_log import AuditLog
from bxio.journal_file import JournalError


class Audit(Actor):
    """``now`` gives ISO 8601 in UTC; ``tell`` hears why nothing can be written, and None once it can."""

    def __init__(
        self,
        context: Context,
        *,
        path: Path,
        now: Callable[[], str],
        tell: Callable[[str | None], object] = lambda _: None,
    ) -> None:
        super().__init__(context)
        self._path = path
        self._wall = now
        self._tell = tell
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

    def on_receive(self, message: AuditMessage) -> int:
        """Put one record on disk; the reply is its number. Refused when that is not possible."""
        match message:
            case Intent():
                return self._record(_intent(message))
            case Outcome():
                return self._record(_outcome(message))
            case ApprovalOpened() | ApprovalEnded() | GrantsLoaded() | Settled():
                raise Refusal("not yet")
            case _:
                assert_never(message)

    def on_stop(self) -> None:
        """Close the log; every record is on disk already."""
        if self._log is not None:
            self._log.close()

    def facts(self) -> Mapping[str, str | int | float]:
        """The last record's number, and how many could not be written."""
        return {"records": self._log.head.number if self._log else 0, "not_written": self._refused}

    def _record(self, fields: dict[str, Any]) -> int:
        try:
            number = self._opened().record({"time": self._wall(), **fields})
        except JournalError as error:
            self._refused += 1
            self._tell(error.sentence)
            logger.error("audit: not written: {}", error.sentence)
            raise Refusal(error.sentence) from None
        self._tell(None)
        return number

    def _opened(self) -> AuditLog:
        if self._log is None:
            self._log = AuditLog.open(self._path)
            if self._log.torn is not None:
                torn = self._log.torn
                logger.warning(
                    "audit: a torn last line of {} bytes was cut and kept in {}", torn.size, torn.kept.name
                )
        return self._log


def _intent(message: Intent) -> dict[str, Any]:
    return {
        "kind": message.kind,
        "session": message.session,
        "turn": message.turn,
        "call": message.call,
        "tool": message.tool,
        "arguments_sha256": message.arguments_sha256,
        "arguments": message.arguments,
        "decision": message.decision,
        "grant": message.grant,
        "grant_sha256": message.grant_sha256,
        "label": _label(message.label),
    }


def _outcome(message: Outcome) -> dict[str, Any]:
    return {
        "kind": message.kind,
        "session": message.session,
        "call": message.call,
        "outcome": message.outcome,
        "label_before": _label(message.label_before),
        "label_after": _label(message.label_after),
        "duration_ms": message.duration_ms,
    }


def _label(label: Label) -> dict[str, Any]:
    return {"class": label.level.text, "untrusted": label.untrusted}
