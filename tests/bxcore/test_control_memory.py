"""What memory shows, as JSON: every field of the value is in it."""

from __future__ import annotations

from dataclasses import asdict, fields

from bxcore.control import memory
from bxcore.labels import Label, Level
from bxcore.memory_views import (
    EntryView,
    FileView,
    ForgetView,
    ImportView,
    OutboxRow,
    OutboxView,
    ProposalView,
    ProposedEntry,
    RevisionView,
    Told,
)

LABEL = Label(Level.PRIVATE, untrusted=True)
LABEL_JSON = {"class": "private", "untrusted": True}


def names(view: type) -> set[str]:
    return {each.name for each in fields(view)}


def test_files_and_their_entries() -> None:
    entry = EntryView(id="abcdef", text="x", label=LABEL, origin="by hand", at="", lifted=True)
    view = FileView(file="user", path="/m", size=1, limit=2, entries=(entry,))
    [file] = memory.memory_json([view])["files"]
    assert file["entries"] == [asdict(entry) | {"label": LABEL_JSON}]
    assert set(file) == names(FileView)


def test_revisions() -> None:
    view = RevisionView(
        number=1, file="user", origin="operator", at="", label=LABEL, removed=("a",), added=("b",), undone=2
    )
    [revision] = memory.log_json([view])["revisions"]
    assert revision == asdict(view) | {"label": LABEL_JSON, "removed": ["a"], "added": ["b"]}


def test_a_proposal() -> None:
    entry = ProposedEntry(number=1, text="x", stands_for=("a",), label=LABEL)
    view = ProposalView(
        file="user", id="p", size_before=2, size_after=1, limit=3, entries=(entry,), kept=("b",)
    )
    written = memory.proposal_json(view)
    assert set(written) == names(ProposalView)
    assert written["entries"] == [{"number": 1, "text": "x", "stands_for": ["a"], "label": LABEL_JSON}]


def test_what_was_forgotten_or_imported() -> None:
    view = ForgetView(done=True, sessions=("a",), turns=1, entries=2, revisions=3, busy=("b",), left=("c",))
    assert memory.forget_json(view) == asdict(view) | {"sessions": ["a"], "busy": ["b"], "left": ["c"]}
    brought = ImportView(done=True, new=1, already=2, session="s", refused=("r",))
    assert memory.import_json(brought) == asdict(brought) | {"refused": ["r"]}


def test_the_outbox() -> None:
    row = OutboxRow(id="a.1", session="a", turn=1, workspace="trusted", state="parked", why="422", age_s=1.26)
    view = OutboxView(
        waiting=1, parked=2, oldest_s=3.14159, failing="x", next_try_s=0.04, rows=(row,), queue=(("t", "q"),)
    )
    written = memory.outbox_json(view)
    assert set(written) == names(OutboxView)
    assert written["rows"] == [asdict(row) | {"age_s": 1.3}]
    assert (written["oldest_s"], written["next_try_s"], written["queue"]) == (3.1, 0.0, {"t": "q"})


def test_a_wish_s_end() -> None:
    assert memory.told_json(Told(ok=True, sentence="x")) == {"ok": True, "sentence": "x"}
