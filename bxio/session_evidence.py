"""What other files of the box know of a session whose log may have lost turns (spec 2.1, 2.4, 4.7)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bxcore.labels import TOP, Label
from bxcore.session_loss import Loss
from bxcore.turn_decisions import Decided
from bxio import audit_reader, forgotten, ledger_reader


@dataclass(frozen=True, slots=True)
class SessionEvidence:
    """The ledger, the audit and what was forgotten, read beside their writers, in any thread.

    Without a ledger nothing is known.
    """

    ledger: Path | None = None
    audit: Path | None = None
    forgotten: Path | None = None

    def loss(self, session: str, log: str, turns: int) -> Loss | None:
        """What a log of that name has lost, which has so many turns; None when the ledger knows no more.

        The ledger gets a turn only once it is over, and so on disk in the log. A log without a name may be
        another one than the ledger's.
        """
        if self.ledger is None or not log:
            return None
        row = ledger_reader.last_row(self.ledger, session, log)
        lost = 0 if row is None else row.turn - turns
        return Loss(turns=lost, label=self._label(session)) if lost > 0 else None

    def gone(self, session: str) -> Loss | None:
        """What was lost with the log of a session that is begun anew; None for a name that is new.

        One that was forgotten is not lost: nobody is to know more of it than that.
        """
        row = None if self.ledger is None else ledger_reader.last_row(self.ledger, session)
        if row is None or self._was_forgotten(row):
            return None
        return Loss(turns=row.turn, label=self._label(session))

    def _was_forgotten(self, row: Decided) -> bool:
        return self.forgotten is not None and forgotten.whole(self.forgotten, row.session, row.log)

    def _label(self, session: str) -> Label:
        """The highest label that the audit has of it; the top when the audit cannot tell."""
        try:
            return TOP if self.audit is None else audit_reader.highest_label(self.audit, session)
        except OSError:
            return TOP
