"""What another agent remembered comes in as untrusted, once, however often it is done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from actors.base import Mailbox, Refusal
from actors.memory_importing import session_name
from bxcore.baseline import Baseline
from bxcore.decide import Send, Skip, Workspace
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.memory_operator import ImportedTurn, ImportEntries, ImportTurns
from bxcore.messages.outbox import Deliver
from bxcore.recall_facts import RecallFacts
from bxcore.records import Assistant, SessionStart, Usage, User
from bxcore.session_fold import label_of, log_of
from bxio.live_session import open_live
from bxio.session_listing import SessionListing
from bxio.session_store import SessionError
from tests.doubles.memory_bench import MemoryBench, recall
from tests.doubles.memory_operator import forget, imported, listed, texts
from tests.kit.kit import Kit
from tests.kit.probe import Probe

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
TURNS = tuple(
    ImportedTurn(user=f"the {thing} is in the shed", reply="noted", at="2025-05-01T10:00:00+00:00")
    for thing in ("ladder", "mower", "spade")
)


def conversation(
    *turns: ImportedTurn, first: int = 1, speaker: str | None = None, dry_run: bool = False
) -> ImportTurns:
    return ImportTurns(conversation="c1", turns=turns, first=first, speaker=speaker, dry_run=dry_run)


def test_a_dry_run_says_what_would_come_and_brings_nothing(
    memory_box: Mailbox, memory_bench: MemoryBench
) -> None:
    found = imported(memory_box, conversation(*TURNS, dry_run=True))
    assert (found.done, found.new, found.already) == (False, 3, 0)
    assert memory_bench.sessions.list() == ()
    assert imported(memory_box, ImportEntries(entries=("a", "b"))).new == 2
    assert texts(memory_box, "notes") == []


def test_a_conversation_is_an_untrusted_session_that_recall_finds(
    memory_box: Mailbox, memory_bench: MemoryBench
) -> None:
    found = imported(memory_box, conversation(*TURNS))
    assert (found.done, found.new) == (True, 3)
    assert label_of(memory_bench.sessions.read(found.session)) == UNTRUSTED
    hit = recall(memory_box, "where is the mower?")
    assert f"memory-tainted · session {found.session} turn 2, 2025-05-01 · private" in hit.content
    assert hit.label == UNTRUSTED


def test_the_box_hears_what_an_import_brought_and_what_a_forgetting_took(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe
) -> None:
    told: list[RecallFacts] = []
    box = kit.start("memory", replace(memory_bench, publish=told.append).make)
    session = imported(box, conversation(*TURNS)).session
    assert told[-1].turns == 3
    forget(box, text="mower", dry_run=False)
    assert told[-1].turns == 2
    forget(box, session=session, dry_run=False)
    assert told[-1].turns == 0
    memory_outbox.expect(Deliver)


def test_without_a_speaker_it_goes_to_no_workspace_and_with_one_to_the_untrusted(
    memory_box: Mailbox, memory_outbox: Probe
) -> None:
    imported(memory_box, conversation(*TURNS[:1]))
    rows = memory_outbox.expect(Deliver).rows
    assert [row.action for row in rows] == [Skip("the turn has no single speaker")]
    imported(memory_box, conversation(*TURNS[:2], speaker="anna"))
    rows = memory_outbox.expect(Deliver).rows
    assert [row.action for row in rows] == [Send(Workspace.UNTRUSTED, "anna")]


def test_an_import_twice_changes_nothing_and_a_grown_one_adds_what_is_new(
    memory_box: Mailbox, memory_bench: MemoryBench
) -> None:
    session = imported(memory_box, conversation(*TURNS[:2])).session
    before = memory_bench.sessions.read(session)
    again = imported(memory_box, conversation(*TURNS[:2]))
    assert (again.new, again.already) == (0, 2)
    assert memory_bench.sessions.read(session) == before
    grown = imported(memory_box, conversation(*TURNS))
    assert (grown.new, grown.already, grown.session) == (1, 2, session)


def test_a_long_conversation_comes_in_pieces(memory_box: Mailbox) -> None:
    assert imported(memory_box, conversation(*TURNS[:2])).new == 2
    piece = imported(memory_box, conversation(TURNS[2], first=3))
    assert (piece.new, piece.already) == (1, 0)
    assert imported(memory_box, conversation(TURNS[2], first=3)).already == 1


def test_a_missing_piece_and_a_changed_turn_are_refused(memory_box: Mailbox) -> None:
    gap = imported(memory_box, conversation(TURNS[2], first=3))
    assert gap.refused == ("turns 1 to 2 are missing; import the whole file again",)
    session = imported(memory_box, conversation(*TURNS)).session
    changed = imported(memory_box, conversation(TURNS[1], TURNS[0]))
    assert (changed.new, changed.already) == (0, 0)
    why = f"turn 1 is not what was imported before as session {session}"
    assert changed.refused == (f"{why}; to take it in anew, forget that session first",)


def test_a_forgotten_turn_does_not_come_back(memory_box: Mailbox) -> None:
    imported(memory_box, conversation(*TURNS))
    forget(memory_box, text="mower")
    again = imported(memory_box, conversation(*TURNS))
    assert (again.new, again.already, again.refused) == (0, 3, ())
    assert "nothing found" in recall(memory_box, "mower").content


def test_entries_are_untrusted_notes(memory_box: Mailbox) -> None:
    found = imported(memory_box, ImportEntries(entries=("likes tea", "has a cat"), dry_run=False))
    assert (found.done, found.new, found.session) == (True, 2, "")
    assert [(entry.text, entry.origin, entry.label) for entry in listed(memory_box, "notes").entries] == [
        ("likes tea", "import", UNTRUSTED),
        ("has a cat", "import", UNTRUSTED),
    ]
    again = imported(memory_box, ImportEntries(entries=("likes tea", "has a dog"), dry_run=False))
    assert (again.new, again.already) == (1, 1)


def test_an_entry_that_no_file_takes_is_said_and_the_others_come(memory_box: Mailbox) -> None:
    token = "ghp_" + "a1B2" * 9
    entries = ("fine", token, "x" * 1001, "also fine")
    dry = imported(memory_box, ImportEntries(entries=entries))
    found = imported(memory_box, ImportEntries(entries=entries, dry_run=False))
    assert found.new == dry.new == 2
    assert found.refused == dry.refused
    assert [sentence.split(",")[0] for sentence in found.refused] == ["entry 2", "entry 3"]


def test_a_dry_run_knows_when_the_notes_are_full(memory_box: Mailbox) -> None:
    many = tuple(f"{number} " + "x" * 990 for number in range(25))
    dry = imported(memory_box, ImportEntries(entries=many))
    found = imported(memory_box, ImportEntries(entries=many, dry_run=False))
    assert (dry.new, dry.refused) == (found.new, found.refused)
    assert found.new == 20
    assert "notes.md is too full" in found.refused[0]


@pytest.mark.parametrize("lines", range(1, 11))
def test_what_a_kill_left_half_written_is_gone_on_with(
    memory_box: Mailbox, memory_bench: MemoryBench, lines: int
) -> None:
    session = imported(memory_box, conversation(*TURNS)).session
    path = memory_bench.sessions.folder / session / "0.jsonl"
    whole = memory_bench.sessions.read(session)
    data = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(data[:lines]) + data[lines][:20] if lines < 10 else b"".join(data))
    again = imported(memory_box, conversation(*TURNS))
    assert again.refused == ()
    assert again.new + again.already == 3
    left = memory_bench.sessions.read(session)
    assert [each for each in left if not isinstance(each, Usage)] == [
        each for each in whole if not isinstance(each, Usage)
    ]
    assert imported(memory_box, conversation(*TURNS)).already == 3


def test_a_half_turn_is_gone_on_with_by_its_own_words_alone(
    memory_box: Mailbox, memory_bench: MemoryBench
) -> None:
    session = imported(memory_box, conversation(*TURNS[:1])).session
    memory_bench.log(session, User(text="another half"))
    assert "turn 2 is not what was imported before" in imported(memory_box, conversation(*TURNS)).refused[0]


def test_nothing_is_added_to_a_chat_of_the_box(memory_box: Mailbox, memory_bench: MemoryBench) -> None:
    name = session_name("c1")
    opened = memory_bench.sessions.open(name)
    opened.append([SessionStart(baseline="ab", log="l"), User(text="hello"), Assistant(content="good day")])
    opened.close()
    found = imported(memory_box, conversation(*TURNS))
    assert found.refused == (f"session {name} is a chat of this box; rename what you import",)
    assert label_of(memory_bench.sessions.read(name)) == NEW_SESSION


def test_an_imported_session_is_listed_and_says_why_no_chat_goes_on_there(
    memory_box: Mailbox, memory_bench: MemoryBench
) -> None:
    session = imported(memory_box, conversation(*TURNS)).session
    (info,) = SessionListing(memory_bench.sessions).newest(5, {})
    assert (info.session, info.turns, info.label) == (session, 3, UNTRUSTED)

    def never() -> Baseline:
        raise AssertionError("it has begun")

    with pytest.raises(SessionError, match="it was imported, to be remembered; start another session"):
        open_live(memory_bench.sessions, session, never)
    assert imported(memory_box, conversation(*TURNS)).already == 3, "its log is free again"


def test_an_import_into_a_session_that_is_open_says_so(
    memory_box: Mailbox, memory_bench: MemoryBench
) -> None:
    session = imported(memory_box, conversation(*TURNS[:1])).session
    opened = memory_bench.sessions.open(session)
    with pytest.raises(Refusal, match="is open elsewhere; close it there first"):
        imported(memory_box, conversation(*TURNS))
    opened.close()
    assert imported(memory_box, conversation(*TURNS)).new == 2


def test_a_secret_stays_in_the_log_and_is_nowhere_else(
    memory_box: Mailbox, memory_bench: MemoryBench, memory_outbox: Probe, tmp_path: Path
) -> None:
    token = "ghp_" + "a1B2" * 9
    turn = ImportedTurn(user=f"my token is {token}", reply="noted")
    session = imported(memory_box, conversation(turn, speaker="anna")).session
    (row,) = memory_outbox.expect(Deliver).rows
    assert row.action == Skip("the turn's text holds a secret")
    assert "[secret-github]" in recall(memory_box, "token").content
    held = [path for path in tmp_path.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]
    assert held == [memory_bench.sessions.folder / session / "0.jsonl"]


def test_a_forgotten_session_comes_in_anew_as_another_log(
    memory_box: Mailbox, memory_bench: MemoryBench
) -> None:
    session = imported(memory_box, conversation(*TURNS)).session
    before = log_of(memory_bench.sessions.read(session))
    forget(memory_box, session=session)
    assert imported(memory_box, conversation(*TURNS)).new == 3
    assert log_of(memory_bench.sessions.read(session)) not in {before, ""}
    assert "turn 2" in recall(memory_box, "mower").content
