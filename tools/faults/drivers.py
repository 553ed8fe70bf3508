"""All drivers. A new durable file is a line here: its name, what it does, and what must be there then."""

from __future__ import annotations

from tools.faults import drivers_databases as databases
from tools.faults import drivers_files as files
from tools.faults import drivers_journals as journals
from tools.faults import drivers_mending as mending
from tools.faults.driver import Driver

DRIVERS = {
    "session": Driver(run=journals.session, check=journals.session_is),
    "epochs": Driver(run=journals.epochs, check=journals.epochs_are),
    "mended": Driver(run=mending.mended, check=mending.mended_is, prepare=mending.harmed),
    "ledger": Driver(run=journals.ledger, check=journals.ledger_is),
    "marks": Driver(run=journals.marks, check=journals.marks_are),
    "summaries": Driver(run=journals.summaries, check=journals.summaries_are),
    "erasures": Driver(run=journals.erasures, check=journals.erasures_are),
    "audit": Driver(run=journals.audit, check=journals.audit_is),
    "approvals": Driver(
        run=journals.approvals, check=journals.approvals_are, prepare=journals.approvals_of_before
    ),
    "memory": Driver(run=files.memory, check=files.memory_is),
    "forget-note": Driver(run=files.forget_note, check=files.forget_note_is, prepare=files.notes_to_forget),
    "forget-turn": Driver(run=files.forget_turn, check=files.forget_turn_is, prepare=files.talk),
    "forget-session": Driver(run=files.forget_session, check=files.forget_session_is, prepare=files.talk),
    "results": Driver(run=files.results, check=files.results_are),
    "state": Driver(run=files.state, check=files.state_is),
    "honcho": Driver(run=databases.honcho, check=databases.honcho_is),
    "erase": Driver(run=databases.erase, check=databases.erase_is, prepare=databases.something_said),
    "recall": Driver(run=databases.recall, check=databases.recall_is, named=False),
    "recall-forget": Driver(
        run=databases.recall_forget,
        check=databases.recall_forget_is,
        prepare=databases.something_indexed,
        named=False,
    ),
}
