"""An operator looks at the memory files and changes them; every change can be seen and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.base import Mailbox, Refusal
from bxcore.labels import NEW_SESSION, TOP, Label, Level
from bxcore.messages.memory_operator import EditEntry, LiftLabel, ListEntries, UndoEdit
from tests.doubles.memory_bench import MemoryBench, edit, recall
from tests.doubles.memory_operator import forget, id_of, listed, log, texts, told
from tests.kit.kit import Kit

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
TOKEN = "ghp_" + "a1B2" * 9


def test_a_list_shows_each_entry_with_where_it_came_from(memory_box: Mailbox, tmp_path: Path) -> None:
    edit(memory_box, "add", "notes", text="call this number", state=UNTRUSTED)
    (tmp_path / "memory" / "notes.md").write_text("call this number\n§\nby hand\n")
    shown = listed(memory_box, "notes")
    assert [(entry.text, entry.origin, entry.label) for entry in shown.entries] == [
        ("call this number", "session k3f turn 4", UNTRUSTED),
        ("by hand", "by hand", NEW_SESSION),
    ]
    assert (shown.limit, shown.path) == (20_000, str(tmp_path / "memory" / "notes.md"))
    assert shown.size == len("call this number\n§\nby hand\n")
    assert [view.file for view in memory_box.call(ListEntries(), 5.0)] == ["memory", "user", "notes"]


def test_an_operator_adds_replaces_and_removes_by_id(memory_box: Mailbox, tmp_path: Path) -> None:
    assert told(memory_box, EditEntry(action="add", file="user", text="likes tea")).ok
    first = id_of(memory_box, "user", "likes tea")
    done = told(memory_box, EditEntry(action="replace", id=first, text="likes coffee"))
    assert done.sentence == "replaced in user.md; it holds 13 of 1400 characters"
    assert texts(memory_box, "user") == ["likes coffee"]
    second = id_of(memory_box, "user", "likes coffee")
    assert told(memory_box, EditEntry(action="remove", id=second)).ok
    assert texts(memory_box, "user") == []
    assert [view.origin for view in log(memory_box)] == ["operator"] * 3


def test_an_unknown_id_or_file_is_a_no_that_says_where_to_look(memory_box: Mailbox) -> None:
    for message in (EditEntry(action="remove", id="abcdef"), LiftLabel(id="abcdef"), UndoEdit(number=7)):
        answer = told(memory_box, message)
        assert (answer.ok, answer.known) == (False, False)
        assert "bxctl memory" in answer.sentence
    answer = told(memory_box, EditEntry(action="add", file="diary", text="x"))
    assert (answer.ok, answer.sentence) == (False, "there is no file 'diary'; write memory, user or notes")


@pytest.mark.parametrize("text", [TOKEN, "", "a\n§\nb", "x" * 1001, "a\x07b"])
def test_what_a_session_may_not_write_an_operator_may_not_either(memory_box: Mailbox, text: str) -> None:
    answer = told(memory_box, EditEntry(action="add", file="notes", text=text))
    assert not answer.ok
    assert TOKEN not in answer.sentence
    assert texts(memory_box, "notes") == []


def test_an_edit_is_undone_and_then_the_one_before_it(memory_box: Mailbox) -> None:
    edit(memory_box, "add", "user", text="likes tea")
    edit(memory_box, "replace", "user", entry="tea", text="likes coffee")
    assert told(memory_box, UndoEdit()).sentence.startswith("edit 2 is undone in user.md")
    assert texts(memory_box, "user") == ["likes tea"]
    assert told(memory_box, UndoEdit()).ok
    assert texts(memory_box, "user") == []
    assert told(memory_box, UndoEdit()).sentence == "there is no edit to undo; bxctl memory log lists them"


def test_an_undoing_can_be_undone_and_the_edit_be_undone_again(memory_box: Mailbox) -> None:
    edit(memory_box, "add", "user", text="likes tea")
    for number, left in ((1, []), (2, ["likes tea"]), (None, []), (4, ["likes tea"])):
        assert told(memory_box, UndoEdit(number=number)).ok
        assert texts(memory_box, "user") == left


def test_an_undo_passes_over_what_was_forgotten(memory_box: Mailbox) -> None:
    edit(memory_box, "add", "user", text="likes tea")
    edit(memory_box, "add", "user", text="has a cat")
    assert forget(memory_box, text="cat").done
    assert told(memory_box, UndoEdit()).sentence.startswith("edit 1 is undone")
    assert texts(memory_box, "user") == []


def test_a_removal_takes_no_text_in(memory_box: Mailbox) -> None:
    edit(memory_box, "add", "user", text="likes tea")
    gone = EditEntry(action="remove", id=id_of(memory_box, "user", "likes tea"), text=TOKEN)
    assert told(memory_box, gone).ok
    assert texts(memory_box, "user") == []


def test_a_secret_does_not_come_in_by_replacing(memory_box: Mailbox) -> None:
    edit(memory_box, "add", "user", text="likes tea")
    refused = EditEntry(action="replace", id=id_of(memory_box, "user", "likes tea"), text=f"key {TOKEN}")
    answer = told(memory_box, refused)
    assert not answer.ok
    assert TOKEN not in answer.sentence
    assert texts(memory_box, "user") == ["likes tea"]


def test_a_lifting_can_be_undone(memory_box: Mailbox) -> None:
    edit(memory_box, "add", "notes", text="the vet is Dr Hall", state=UNTRUSTED)
    told(memory_box, LiftLabel(id=id_of(memory_box, "notes", "the vet is Dr Hall")))
    assert told(memory_box, UndoEdit()).ok
    [entry] = listed(memory_box, "notes").entries
    assert (entry.label, entry.lifted) == (UNTRUSTED, False)
    assert recall(memory_box, "vet").label.untrusted


def test_the_log_shows_what_undid_what(memory_box: Mailbox) -> None:
    edit(memory_box, "add", "user", text="likes tea")
    told(memory_box, UndoEdit(number=1))
    newest, oldest = log(memory_box)
    assert (oldest.number, oldest.undone, oldest.added) == (1, 2, ("likes tea",))
    assert (newest.number, newest.origin, newest.removed) == (2, "operator, undoes 1", ("likes tea",))
    assert [view.number for view in log(memory_box, "notes")] == []
    assert [view.number for view in log(memory_box, limit=1)] == [2]


def test_a_hand_edit_can_be_undone_too(memory_box: Mailbox, tmp_path: Path) -> None:
    (tmp_path / "memory" / "user.md").write_text("by hand\n")
    assert told(memory_box, UndoEdit()).ok
    assert texts(memory_box, "user") == []


def test_an_undoing_that_a_later_edit_forbids_says_which(memory_box: Mailbox) -> None:
    edit(memory_box, "add", "user", text="likes tea")
    edit(memory_box, "replace", "user", entry="tea", text="likes coffee")
    answer = told(memory_box, UndoEdit(number=1))
    assert not answer.ok
    assert '"likes tea" is no longer in user.md' in answer.sentence


def test_an_operator_lifts_a_label_and_an_edit_brings_it_back(memory_box: Mailbox) -> None:
    edit(memory_box, "add", "notes", text="the vet is Dr Hall", state=UNTRUSTED)
    assert recall(memory_box, "vet").label.untrusted
    lifted = told(memory_box, LiftLabel(id=id_of(memory_box, "notes", "the vet is Dr Hall")))
    assert lifted.ok
    [entry] = listed(memory_box, "notes").entries
    assert (entry.label, entry.lifted) == (NEW_SESSION, True)
    assert not recall(memory_box, "vet").label.untrusted
    again = told(memory_box, LiftLabel(id=entry.id))
    assert (again.ok, again.known) == (False, True)
    told(memory_box, EditEntry(action="replace", id=entry.id, text="the vet is Dr Hull"))
    [entry] = listed(memory_box, "notes").entries
    assert (entry.label, entry.lifted) == (UNTRUSTED, False)


def test_files_that_cannot_be_read_are_one_clear_sentence(memory_box: Mailbox, tmp_path: Path) -> None:
    (tmp_path / "memory" / "user.md").mkdir()
    with pytest.raises(Refusal, match=r"user\.md cannot be read: is a directory"):
        listed(memory_box, "user")


def test_an_id_that_two_entries_have_names_neither(
    memory_box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(memory_box, "add", "notes", text="call this number", state=UNTRUSTED)
    edit(memory_box, "add", "user", text="likes tea")
    monkeypatch.setattr("actors.memory_operating.entry_id", lambda _file, _text: "abcdef")
    for message in (LiftLabel(id="abcdef"), EditEntry(action="remove", id="abcdef")):
        answer = told(memory_box, message)
        assert (answer.ok, answer.known) == (False, True)
        assert answer.sentence == "2 entries have the id abcdef; edit the files by hand"
    assert texts(memory_box, "notes") == ["call this number"]


@pytest.mark.parametrize("how", ["gone", "garbage"])
def test_strangers_notes_stay_untrusted_when_the_revisions_are_lost(
    kit: Kit, memory_bench: MemoryBench, memory_box: Mailbox, tmp_path: Path, how: str
) -> None:
    edit(memory_box, "add", "notes", text="the vet is Dr Hall", state=UNTRUSTED)
    kit.runtime.stop("memory")
    revisions = tmp_path / "memory" / "revisions.jsonl"
    revisions.unlink() if how == "gone" else revisions.write_text("garbage\n")
    box = kit.start("memory", memory_bench.make)
    [entry] = listed(box, "notes").entries
    assert (entry.origin, entry.label) == ("unknown", TOP)
    assert recall(box, "vet").label.untrusted
    assert recall(box, "vet", trusted_only=True).content.startswith("nothing found")
    refused = told(box, UndoEdit(number=1))
    assert refused.sentence == "edit 1 cannot be undone: nobody knows what was there before it"
    assert told(box, UndoEdit()).sentence.startswith("there is no edit to undo")
    assert told(box, LiftLabel(id=entry.id)).ok
    assert listed(box, "notes").entries[0].label == NEW_SESSION
    assert not recall(box, "vet").label.untrusted


def test_a_first_start_trusts_what_a_person_had_written(
    kit: Kit, memory_bench: MemoryBench, tmp_path: Path
) -> None:
    (tmp_path / "memory").mkdir(mode=0o700)
    (tmp_path / "memory" / "user.md").write_text("likes tea\n")
    box = kit.start("memory", memory_bench.make)
    [entry] = listed(box, "user").entries
    assert (entry.origin, entry.label) == ("by hand", NEW_SESSION)
