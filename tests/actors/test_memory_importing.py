"""What another agent remembered comes in as untrusted, once, however often it is done."""

from __future__ import annotations

from actors.base import Mailbox
from bxcore.decide import Send, Skip, Workspace
from bxcore.labels import Label, Level
from bxcore.messages.memory_operator import ImportedTurn, ImportEntries, ImportTurns
from bxcore.messages.outbox import Deliver
from bxcore.session_fold import label_of
from tests.doubles.memory_bench import MemoryBench, recall
from tests.doubles.memory_operator import forget, imported, listed, texts
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
