"""What keeps something of what is forgotten is named, a sentence each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.memory_finding import Found, Holding
from actors.memory_parts import Places
from actors.memory_staying import CONCLUDED, COPIES, Staying
from bxcore.forgetting import Needle
from bxcore.labels import NEW_SESSION
from bxcore.memory_entries import Edited
from bxcore.records import SessionStart, ToolResult, User
from bxio.memory_files import Editor, MemoryFiles
from bxio.session_store import SessionStore

NEEDLE = Needle("blue tin")
NOTHING = Holding()
SOME = Holding(found=[Found("k3f", "l", (1,), 1)])


@pytest.fixture
def files(tmp_path: Path) -> Iterator[MemoryFiles]:
    opened = MemoryFiles.open(tmp_path / "state" / "memory", lambda: "now")
    yield opened
    opened.close()


@pytest.fixture
def places(tmp_path: Path) -> Places:
    state = tmp_path / "state"
    return Places(
        files=state / "memory",
        index=state / "recall.sqlite",
        ledger=state / "ledger.jsonl",
        sessions=SessionStore(state / "sessions"),
        work=state / "work",
        kept={state / "audit.jsonl": "the audit keeps it"},
        looked_through=(tmp_path / "log",),
        concludes=True,
    )


@pytest.fixture
def staying(places: Places, files: MemoryFiles) -> Staying:
    return Staying(places, files)


def session(places: Places, name: str, *records: User | ToolResult, baseline: bytes = b"{}") -> Path:
    opened = places.sessions.open(name)
    opened.save_baseline(baseline)
    opened.append([SessionStart(baseline=""), *records])
    opened.close()
    return places.sessions.folder / name


def test_nothing_is_kept_of_nothing(staying: Staying) -> None:
    assert staying.of(NOTHING, NEEDLE, "") == ()


def test_what_the_box_cannot_reach_is_said_when_there_is_something(staying: Staying) -> None:
    assert staying.of(SOME, NEEDLE, "") == (CONCLUDED, COPIES)
    assert staying.of(Holding(places=((1, "added", 0),)), NEEDLE, "") == (COPIES,)


def test_what_could_not_be_read_comes_first(staying: Staying) -> None:
    assert staying.of(Holding(unsure=["session x is damaged"]), NEEDLE, "")[0] == "session x is damaged"


def test_baselines_and_speakers_that_hold_it_are_named(staying: Staying, places: Places) -> None:
    for number in range(7):
        session(places, f"s{number}", baseline=b'{"messages":["- my BLUE\\\\ntin"]}')
    session(places, "plain")
    found = staying.of(Holding(speaks=True), NEEDLE, "")
    assert found == (
        (
            "sessions that began with it in their memory block keep it: s6, s5, s4, s3, s2 and 2 more; "
            "forget them whole"
        ),
        "the name of a speaker holds it; a turn keeps who spoke",
    )


def test_files_that_nothing_is_taken_out_of_have_their_own_sentence(staying: Staying, places: Places) -> None:
    (audit,) = places.kept
    audit.parent.mkdir(exist_ok=True)
    audit.write_text('{"call":"the blue\\\\ntin"}')
    assert staying.of(NOTHING, NEEDLE, "") == ("the audit keeps it",)
    audit.write_text('{"call":"another","blue":1,"tin":2}')
    assert staying.of(NOTHING, NEEDLE, "") == ()


def test_every_other_file_that_holds_it_is_named(staying: Staying, places: Places, tmp_path: Path) -> None:
    state = tmp_path / "state"
    folder = session(places, "k3f")
    others = [
        state / "work" / "k3f" / "a.txt",
        tmp_path / "log" / "box.log",
        folder / "0.jsonl.bak",
        state / "memory" / "notes.md~",
    ]
    for path in others:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("blue tin")
    (sentence,) = staying.of(NOTHING, NEEDLE, "")
    assert sentence.startswith("these files hold it and are left as they are: ")
    assert all(str(path) in sentence for path in others)
    assert sentence.endswith("; see to them yourself")


def test_what_forgetting_sees_to_is_not_named(staying: Staying, places: Places, tmp_path: Path) -> None:
    folder = session(places, "k3f")
    (folder / "results").mkdir()
    (tmp_path / "state" / "recall.words").mkdir()
    for path in (
        folder / "0.jsonl.torn-1",
        folder / "results" / "t1c1.txt",
        places.files / "notes.md",
        places.files / "revisions.jsonl",
        places.record,
        tmp_path / "state" / "recall.words" / "x.idx",
        places.index,
    ):
        path.write_text("blue tin")
    assert staying.of(NOTHING, NEEDLE, "") == ()


def test_what_came_from_a_session_is_told_with_how_to_remove_it(staying: Staying, files: MemoryFiles) -> None:
    editor = Editor(label=NEW_SESSION, session="k3f", turn=1)
    files.edit("notes", lambda _: Edited(entries=("a", "b"), added=("a", "b")), editor)
    files.edit("notes", lambda _: Edited(entries=("a",), removed=("b",)), editor)
    files.edit(
        "notes", lambda _: Edited(entries=("a", "c"), added=("c",)), Editor(label=NEW_SESSION, session="x")
    )
    assert staying.of(NOTHING, None, "k3f") == (
        (
            "1 entry of memory came from it, in 2 edits; bxctl memory list and log show them, "
            "forget --text takes one away"
        ),
    )
    assert staying.of(NOTHING, None, "k3") == ()
    files.edit("notes", lambda _: Edited(entries=("c",), removed=("a",)), Editor(label=NEW_SESSION))
    assert staying.of(NOTHING, None, "k3f") == (
        "2 edits of memory came from it; bxctl memory log shows them, forget --text takes one away",
    )


def test_sessions_that_were_shown_it_are_named(staying: Staying, places: Places) -> None:
    hit = ToolResult(
        call="c", tool="recall", content="[1] memory · session k3f turn 4, x · private\n    it", ok=True
    )
    session(places, "shown", hit)
    session(places, "k3f", hit)
    session(places, "plain", User(text="session k3f"))
    assert staying.of(NOTHING, None, "k3f") == (
        "sessions that recalled it keep what they were shown: shown; forget them too",
    )


def test_the_audit_of_a_session_is_named(staying: Staying, places: Places) -> None:
    (audit,) = places.kept
    audit.parent.mkdir(exist_ok=True)
    audit.write_text('{"session":"k3f"}')
    assert staying.of(NOTHING, None, "k3f") == ("the audit keeps it",)
    assert staying.of(NOTHING, None, "k3") == ()


@pytest.mark.parametrize("name", ["ledger.jsonl", "delivered.jsonl", "copy.jsonl"])
@pytest.mark.parametrize(("text", "named"), [("session", False), ("k3f", True), ("SEVEN", True)])
def test_a_record_is_named_for_its_values_and_not_for_its_fields(
    staying: Staying, places: Places, name: str, text: str, *, named: bool
) -> None:
    path = places.ledger.with_name(name)
    path.write_text('{"crc":"0","record":{"session":"k3f"}}\n{"crc":"1","record":{"session":["seven"]}}\n')
    found = staying.of(NOTHING, Needle(text), "")
    assert any(str(path) in sentence for sentence in found) == (named or name == "copy.jsonl")
