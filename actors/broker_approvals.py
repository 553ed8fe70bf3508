"""The broker's approvals: the audit first, then the journal, then the value changes (spec 2.3, step 4)."""

from __future__ import annotations

from collections.abc import Callable

from loguru import logger

from bxcore import approvals as rules
from bxcore import call_records
from bxcore.approvals import Approval, Approvals, Ended, Event, Opened, Over, Used
from bxcore.labels import Label
from bxcore.messages.audit import AuditMessage
from bxcore.messages.broker import ApprovalView, ToolRequest
from bxcore.policy import Verdict
from bxio.approval_journal import ApprovalJournal
from bxio.journal_file import JournalError

FULL = (
    f"{rules.MAX_PENDING} calls wait for the owner already, so this one cannot; it did not run; "
    "do not try another way, tell the owner"
)


class BrokerApprovals:
    """``write`` puts an audit record on disk and gives its number, or a sentence when it could not."""

    def __init__(
        self,
        journal: ApprovalJournal,
        write: Callable[[AuditMessage], int | str],
        *,
        now: Callable[[], float],
        approval_s: float,
    ) -> None:
        self._journal = journal
        self._write = write
        self._now = now
        self._approval_s = approval_s
        self._closed_journal: str | None = "it is not open"
        self.state = Approvals()

    def start(self) -> tuple[Approval, ...]:
        """Read the journal; what waits still. What an earlier process left is closed as expired, and audited.

        A journal that cannot be opened stops no start: nothing runs that must be asked; it is tried again.
        """
        self._reopen()
        return tuple(self.state.pending.values())

    def stop(self) -> None:
        """Close the journal; every event is on disk already."""
        self._journal.close()

    def open(self, request: ToolRequest, verdict: Verdict, label: Label) -> Approval | str:
        """Put the question on disk, before anybody is told; or a sentence why it cannot be asked."""
        if self.state.full:
            return FULL
        if self._closed_journal is not None:
            self._reopen()
        assert verdict.grant is not None
        shown = rules.shown(request.tool, verdict.canonical or "")
        approval = Approval(
            code=self.state.code(f"{request.session} {request.call} {self._now()}"),
            session=request.session,
            turn=request.turn,
            call=request.call,
            tool=request.tool,
            args_sha256=call_records.arguments_sha256(request, verdict),
            grant=verdict.grant.id,
            grant_sha256=verdict.grant.sha256,
            bound=verdict.bound,
            label=label,
            why=verdict.why or "",
            shown=shown.text,
            whole=shown.whole,
            hidden=shown.hidden,
            expires_s=self._now() + self._approval_s,
        )
        failed = self._closed_journal or self._audited(call_records.opened(approval, verdict))
        failed = failed or self._journaled(Opened(approval=approval))
        return approval if failed is None else f"the owner cannot be asked, {failed}; the call did not run"

    def end(self, ended: Ended, *, must: bool = False) -> str | None:
        """Put the end on disk; a sentence when that could not be done.

        With ``must`` nothing has changed then: an approval only counts once it is on disk. Without, it is
        over all the same, since nothing runs after it.
        """
        approval = self.state.pending[ended.code]
        failed = self._audited(call_records.ended(approval, ended))
        if failed is None or not must:
            failed = self._journaled(ended) or failed
        if failed is None or must:
            return failed
        logger.error("approval {} ended as {}, and that is not on disk: {}", ended.code, ended.how, failed)
        self.state = self.state.after(ended)
        return failed

    def use(self, code: str) -> str | None:
        """Put on disk that its call is about to run; a sentence when that could not be done."""
        return self._journaled(Used(code=code))

    def for_session(self, request: ToolRequest, verdict: Verdict, label: Label) -> Over | None:
        """What was approved for the session and covers this call."""
        return self.state.for_session(request.session, request.tool, verdict.bound, label, verdict.floor)

    def view(self, approval: Approval) -> ApprovalView:
        """A pending one as a person sees it now."""
        return ApprovalView(
            code=approval.code,
            session=approval.session,
            turn=approval.turn,
            call=approval.call,
            tool=approval.tool,
            shown=approval.shown,
            whole=approval.whole,
            hidden=approval.hidden,
            label=approval.label,
            grant=approval.grant,
            why=approval.why,
            left_s=max(0.0, approval.expires_s - self._now()),
        )

    def views(self) -> tuple[ApprovalView, ...]:
        """All that wait, the oldest first."""
        return tuple(self.view(approval) for approval in self.state.pending.values())

    def _reopen(self) -> None:
        try:
            found = self._journal.open()
            if found.torn_note is not None:
                logger.warning("approvals: {}", found.torn_note)
            self.state, self._closed_journal = found.approvals, None
            for over in found.closed:
                self._audited(call_records.ended(over.approval, over.ended))
            if found.of_earlier:
                self._journal.begin_anew(found.approvals)
        except JournalError as error:
            self._closed_journal = error.sentence
            logger.error("approvals: no call is asked about: {}", error.sentence)

    def _audited(self, record: AuditMessage) -> str | None:
        written = self._write(record)
        return f"the audit cannot be written: {written}" if isinstance(written, str) else None

    def _journaled(self, event: Event) -> str | None:
        try:
            self._journal.write(event)
        except JournalError as error:
            return f"the approvals cannot be written: {error.sentence}"
        self.state = self.state.after(event)
        return None
