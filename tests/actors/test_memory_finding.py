"""What holds a text: turns by any of their texts, what lies beside a log, places in the revisions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.memory_finding import Finding, Found
from bxcore.forgetting import Needle
from bxcore.labels import NEW_SESSION
from bxcore.memory_entries import Edited
from bxcore.records import Assistant, Record, SessionStart, ToolCall, ToolResult, Usage, User
from bxio import whole_results
from bxio.memory_files import Editor, MemoryFiles
from bxio.session_store import SessionStore

NEEDLE = Needle("blue tin")
CALL = ToolCall(id="t2c1", name="shell", arguments="{}")


@pytest.fixture
def files(tmp_path: Path) -> Iterator[MemoryFiles]:
    opened = MemoryFiles.open(tmp_path / "memory", lambda: "now")
    yield opened
    opened.close()


@pytest.fixture
def sessions(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


@pytest.fixture
def finding(sessions: SessionStore, files: MemoryFiles) -> Finding:
    return Finding(sessions, files, lambda session: f"ledger says {session}")


def write(sessions: SessionStore, session: str, *records: Record) -> Path:
    opened = sessions.open(session)
    opened.append([SessionStart(baseline="", log=f"log of {session}"), *records])
    opened.close()
    return sessions.folder / session


def add(files: MemoryFiles, *texts: str) -> None:
    editor = Editor(label=NEW_SESSION, session="k3f", turn=1)
    files.edit("notes", lambda there: Edited(entries=(*there, *texts), added=texts), editor)


def test_turns_of_every_session_are_found(sessions: SessionStore, finding: Finding) -> None:
    write(
        sessions,
        "a",
        User(text="x"),
        User(text="my blue  tin"),
        Assistant(content="BLUE tin"),
        User(text="y"),
    )
    write(sessions, "b", User(text="nothing"))
    write(sessions, "c", User(text="the blue\ntin"))
    found = finding.text(NEEDLE).found
    assert sorted(found, key=lambda each: each.session) == [
        Found("a", "log of a", (2,), 1),
        Found("c", "log of c", (1,), 1),
    ]


def test_turns_and_torn_tails_of_a_later_epoch_are_found(sessions: SessionStore, finding: Finding) -> None:
    folder = write(sessions, "a", User(text="x"), User(text="y"))
    opened = sessions.open("a")
    opened.begin_epoch(SessionStart(baseline="", log="log of a", epoch=1, turns=2))
    opened.append([User(text="z"), User(text="the blue tin")])
    opened.close()
    (folder / "1.jsonl.torn-1").write_bytes(b"half a blue tin")
    holding = finding.text(NEEDLE)
    assert holding.found == [Found("a", "log of a", (4,), 1)]
    assert holding.files == ["a/1.jsonl.torn-1"]


def test_a_summary_that_alone_holds_it_names_the_session_and_no_turn(
    sessions: SessionStore, finding: Finding
) -> None:
    write(sessions, "a", User(text="x"))
    opened = sessions.open("a")
    opened.begin_epoch(
        SessionStart(baseline="", log="log of a", epoch=1, turns=1, summary="it is in the blue tin")
    )
    opened.close()
    assert finding.text(NEEDLE).found == [Found("a", "log of a", (), 0)]


def test_a_result_that_the_log_has_cut_names_its_turn(sessions: SessionStore, finding: Finding) -> None:
    result = ToolResult(call="t2c1", tool="shell", content="cut", ok=True)
    folder = write(
        sessions,
        "a",
        User(text="x"),
        User(text="y"),
        Assistant(content="", tool_calls=(CALL,)),
        result,
        Usage(),
    )
    whole_results.keep(folder, "t2c1", "what was cut: a blue tin")
    holding = finding.text(NEEDLE)
    assert (holding.found, holding.files) == ([Found("a", "log of a", (2,), 1)], [])


def test_what_is_of_no_turn_is_found_by_its_path(sessions: SessionStore, finding: Finding) -> None:
    folder = write(sessions, "a", User(text="x"))
    whole_results.keep(folder, "t9c9", "a blue tin")
    (folder / "0.jsonl.torn-1").write_bytes(b'{"text":"blue tin')
    (folder / "0.jsonl.torn-2").write_bytes(b"another")
    holding = finding.text(NEEDLE)
    assert holding.found == []
    assert holding.files == ["a/0.jsonl.torn-1", "a/results/t9c9.txt"]
    assert holding.anything


def test_entries_and_edits_are_found_by_their_places(files: MemoryFiles, finding: Finding) -> None:
    add(files, "a", "the Blue\ntin")
    add(files, "b")
    files.edit(
        "notes", lambda _: Edited(entries=("a", "b"), removed=("the Blue\ntin",)), Editor(label=NEW_SESSION)
    )
    files.path("user").write_text("by hand: blue tin\n")
    holding = finding.text(NEEDLE)
    assert (holding.entries, holding.revisions) == (1, 3)
    assert holding.places == ((1, "added", 1), (3, "removed", 0), (4, "added", 0))


def test_nothing_is_nothing(sessions: SessionStore, finding: Finding) -> None:
    write(sessions, "a", User(text="x"))
    assert not finding.text(NEEDLE).anything


def test_a_session_that_cannot_be_read_is_said(sessions: SessionStore, finding: Finding) -> None:
    path = write(sessions, "a", User(text="x"), User(text="blue tin"), User(text="z")) / "0.jsonl"
    opened = sessions.open("a")
    opened.append([User(text="later")])
    opened.close()
    path.write_bytes(path.read_bytes().replace(b'"x"', b'"w"'))
    holding = finding.text(NEEDLE)
    assert holding.found == []
    assert holding.unsure[0].startswith("session a: line 2 of the log is damaged")
    assert holding.unsure[0].endswith("it may hold the text, forget that session whole")


def test_a_whole_session_has_the_name_of_its_log(sessions: SessionStore, finding: Finding) -> None:
    path = write(sessions, "a", User(text="x"), User(text="y")) / "0.jsonl"
    assert finding.whole("a").found == [Found("a", "log of a", None, 2)]
    path.write_bytes(b"nothing that is a line\n")
    assert finding.whole("a").found == [Found("a", "ledger says a", None, 0)]


def test_a_speaker_s_name_is_no_text_of_a_turn_but_is_said(sessions: SessionStore, finding: Finding) -> None:
    write(sessions, "a", User(text="x", speaker="Anna"))
    holding = finding.text(Needle("anna"))
    assert (holding.found, holding.speaks) == ([], True)
    assert not finding.text(Needle("berta")).speaks
