from __future__ import annotations

import pytest

from bxcore import memory_edits
from bxcore.args import MemoryArgs
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.memory_entries import Edited, NotEdited

PUBLIC = Label(Level.PUBLIC, untrusted=False)
UNTRUSTED = Label(Level.PUBLIC, untrusted=True)
SECRET = Label(Level.SECRET, untrusted=False)


@pytest.mark.parametrize("action", ["add", "replace", "remove"])
@pytest.mark.parametrize("file", ["memory", "user", "notes"])
def test_a_clean_session_may_make_every_edit(action: str, file: str) -> None:
    args = MemoryArgs(action=action, file=file, text="a", entry="b")
    assert memory_edits.forbidden(args, NEW_SESSION) is None
    assert memory_edits.forbidden(args, PUBLIC) is None


@pytest.mark.parametrize("state", [UNTRUSTED, SECRET])
@pytest.mark.parametrize("action", ["add", "replace", "remove"])
@pytest.mark.parametrize("file", ["memory", "user", "notes"])
def test_another_one_may_only_add_a_note(action: str, file: str, state: Label) -> None:
    args = MemoryArgs(action=action, file=file, text="a", entry="b")
    refused = memory_edits.forbidden(args, state)
    assert (refused is None) == (action == "add" and file == "notes")
    assert refused is None or str(state) in refused


def test_each_action_is_done() -> None:
    entries = ("one", "two")
    assert memory_edits.edit(MemoryArgs("add", "notes", text="three"), entries) == Edited(
        entries=("one", "two", "three"), added=("three",)
    )
    assert memory_edits.edit(MemoryArgs("replace", "notes", text="2", entry="tw"), entries) == Edited(
        entries=("one", "2"), removed=("two",), added=("2",)
    )
    assert memory_edits.edit(MemoryArgs("remove", "notes", entry="on"), entries) == Edited(
        entries=("two",), removed=("one",)
    )
    assert isinstance(memory_edits.edit(MemoryArgs("remove", "notes", entry="x"), entries), NotEdited)


def test_what_was_done_says_how_full_the_file_is() -> None:
    edited = Edited(entries=("abc",), added=("abc",))
    assert memory_edits.done(MemoryArgs("add", "notes", text="abc"), edited) == (
        "added to notes.md; it holds 4 of 20000 characters; recall finds it"
    )
    assert memory_edits.done(MemoryArgs("remove", "user", entry="x"), edited) == (
        "removed from user.md; it holds 4 of 1400 characters; new sessions see it"
    )


def test_a_block_of_nothing_is_empty() -> None:
    assert memory_edits.memory_block({"memory": (), "user": ()}) == ""
    assert memory_edits.memory_block({"memory": (), "user": ("likes tea",)}) == (
        "Whom you talk with (user.md):\n- likes tea"
    )
