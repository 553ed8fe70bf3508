from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bxcore import journal, memory_entries, memory_revisions
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.memory_entries import Edited, NotEdited
from bxio.memory_files import Editor, Entry, MemoryFiles, MemoryFilesError

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)


def opened(folder: Path) -> MemoryFiles:
    return MemoryFiles.open(folder / "memory", lambda: "2026-11-02T10:00:00+00:00")


def add(files: MemoryFiles, file: str, text: str, label: Label = NEW_SESSION) -> None:
    edited = files.edit(file, adding(file, text), Editor(session="k3f", turn=4, label=label))
    assert isinstance(edited, Edited)


def adding(file: str, text: str) -> Callable[[tuple[str, ...]], Edited | NotEdited]:
    return lambda entries: memory_entries.add(file, entries, text)


def replaced(entries: tuple[str, ...]) -> Edited | NotEdited:
    return memory_entries.replace("notes", entries, "old", "new")


def test_an_edit_is_there_after_a_restart_with_its_label(tmp_path: Path) -> None:
    files = opened(tmp_path)
    add(files, "notes", "the key is in the blue tin")
    add(files, "notes", "call this number", UNTRUSTED)
    files.close()
    again = opened(tmp_path)
    assert again.entries("notes") == (
        Entry("the key is in the blue tin", NEW_SESSION),
        Entry("call this number", UNTRUSTED),
    )
    assert again.entries("memory") == ()
    again.close()
    path = tmp_path / "memory" / "notes.md"
    assert path.read_text() == "the key is in the blue tin\n§\ncall this number\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_revision_says_who_and_what(tmp_path: Path) -> None:
    files = opened(tmp_path)
    add(files, "memory", "a")
    files.edit(
        "memory",
        lambda entries: memory_entries.replace("memory", entries, "a", "b"),
        Editor(session="x", turn=9, label=NEW_SESSION),
    )
    lines = journal.recover((tmp_path / "memory" / "revisions.jsonl").read_bytes()).payloads
    revision = memory_revisions.parse(lines[-1])
    assert (revision.session, revision.turn, revision.label) == ("x", 9, NEW_SESSION)
    assert (revision.removed, revision.added, revision.at) == (("a",), ("b",), "2026-11-02T10:00:00+00:00")
    files.close()


def test_a_file_edited_by_hand_is_read_again_and_not_overwritten(tmp_path: Path) -> None:
    files = opened(tmp_path)
    add(files, "notes", "one")
    path = tmp_path / "memory" / "notes.md"
    path.write_bytes("one\r\n§\r\ntwo\r\n".encode())
    add(files, "notes", "three")
    assert files.texts("notes") == ("one", "two", "three")
    files.close()


def test_a_typo_mended_by_hand_lifts_no_label(tmp_path: Path) -> None:
    files = opened(tmp_path)
    add(files, "notes", "call thsi number", UNTRUSTED)
    (tmp_path / "memory" / "notes.md").write_text("call this number\n")
    assert files.entries("notes") == (Entry("call this number", UNTRUSTED),)
    files.close()
    again = opened(tmp_path)
    assert again.entries("notes") == (Entry("call this number", UNTRUSTED),)
    again.close()


def test_a_file_that_a_person_removed_is_empty(tmp_path: Path) -> None:
    files = opened(tmp_path)
    add(files, "user", "likes tea")
    (tmp_path / "memory" / "user.md").unlink()
    assert files.texts("user") == ()
    files.close()


def test_a_file_of_odd_bytes_is_read_as_well_as_can_be(tmp_path: Path) -> None:
    files = opened(tmp_path)
    (tmp_path / "memory" / "user.md").write_bytes(b"caf\xff\n")
    assert files.texts("user") == ("caf�",)
    files.close()


def test_a_crash_between_revision_and_file_loses_no_label(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = opened(tmp_path)
    add(files, "notes", "old", UNTRUSTED)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(MemoryFilesError, match=r"notes.md cannot be written: no space left on device"):
            files.edit("notes", replaced, Editor(session="k3f", turn=5, label=NEW_SESSION))
    assert files.entries("notes") == (Entry("old", UNTRUSTED),)
    add(files, "notes", "new")
    assert files.entries("notes")[1] == Entry("new", UNTRUSTED)
    files.close()


def test_a_folder_that_others_may_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory").chmod(0o755)
    with pytest.raises(MemoryFilesError, match="0700"):
        opened(tmp_path)


def test_a_file_that_is_a_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    files = opened(tmp_path)
    (tmp_path / "memory" / "user.md").mkdir()
    with pytest.raises(MemoryFilesError, match=r"user.md cannot be read: is a directory"):
        files.texts("user")
    files.close()


class Faults:
    """Lets the first ``good`` durable steps pass and has every later one fail, as a full disk does."""

    def __init__(self, good: int) -> None:
        self.left = good

    def step(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise OSError(28, "No space left on device")
            return real(*args, **named)

        return call


@pytest.mark.parametrize("good", range(9))
def test_wherever_an_edit_breaks_off_nothing_is_half_there_and_no_label_is_lifted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good: int
) -> None:
    files = opened(tmp_path)
    add(files, "notes", "old", UNTRUSTED)
    faults = Faults(good)
    with monkeypatch.context() as patch:
        for name in ("write", "fsync", "fdatasync", "ftruncate"):
            patch.setattr(os, name, faults.step(getattr(os, name)))
        patch.setattr(Path, "rename", faults.step(Path.rename))
        try:
            files.edit("notes", replaced, Editor(session="k3f", turn=5, label=NEW_SESSION))
            told = True
        except MemoryFilesError:
            told = False
    files.close()
    shutil.copytree(tmp_path / "memory", tmp_path / "restarted" / "memory")
    again = opened(tmp_path / "restarted")
    found = again.entries("notes")
    assert [entry.label for entry in found] == [UNTRUSTED]
    assert found[0].text == "new" or (found[0].text == "old" and not told)
    again.close()


OPERATORS_EDIT = Editor(who="operator", label=NEW_SESSION)


def test_what_a_person_saves_under_an_edit_is_kept_and_the_edit_made_on_it(tmp_path: Path) -> None:
    files = opened(tmp_path)
    add(files, "notes", "one")
    path = tmp_path / "memory" / "notes.md"
    saved = iter(["one\n§\nby hand\n"])

    def change(entries: tuple[str, ...]) -> Edited | NotEdited:
        text = next(saved, None)
        if text is not None:  # between our reading and our writing
            path.write_text(text)
        return memory_entries.add("notes", entries, "two")

    assert isinstance(files.edit("notes", change, OPERATORS_EDIT), Edited)
    assert files.texts("notes") == ("one", "by hand", "two")
    files.close()


def test_a_file_that_changes_all_the_time_is_left_alone(tmp_path: Path) -> None:
    files = opened(tmp_path)
    path = tmp_path / "memory" / "notes.md"
    count = iter(range(100))

    def change(entries: tuple[str, ...]) -> Edited | NotEdited:
        path.write_text("x" * (next(count) + 1))
        return memory_entries.add("notes", entries, "two")

    with pytest.raises(MemoryFilesError, match="changes under the edit"):
        files.edit("notes", change, OPERATORS_EDIT)
    assert "two" not in path.read_text()
    files.close()


def test_a_file_of_odd_bytes_is_not_written_over(tmp_path: Path) -> None:
    files = opened(tmp_path)
    path = tmp_path / "memory" / "user.md"
    path.write_bytes(b"caf\xe9\n")
    with pytest.raises(MemoryFilesError, match=r"user.md is not UTF-8; save it as UTF-8"):
        add(files, "user", "tea")
    assert path.read_bytes() == b"caf\xe9\n"
    path.write_text("café\n")
    add(files, "user", "tea")
    assert files.texts("user") == ("café", "tea")
    files.close()


def test_a_byte_order_mark_is_no_part_of_an_entry(tmp_path: Path) -> None:
    files = opened(tmp_path)
    (tmp_path / "memory" / "user.md").write_bytes("\ufefflikes tea\n".encode())
    assert files.texts("user") == ("likes tea",)
    files.close()


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    files = opened(tmp_path)
    (tmp_path / "memory" / "user.md").write_bytes(b"x" * 2_000_000)
    with pytest.raises(MemoryFilesError, match="2000000 bytes"):
        files.texts("user")
    files.close()


def test_what_a_link_leads_to_is_edited_and_the_link_stays(tmp_path: Path) -> None:
    files = opened(tmp_path)
    real = tmp_path / "dotfiles.md"
    real.write_text("one\n")
    link = tmp_path / "memory" / "notes.md"
    link.symlink_to(real)
    add(files, "notes", "two")
    assert link.is_symlink()
    assert real.read_text() == "one\n§\ntwo\n"
    files.close()


def test_a_lifted_label_stays_lifted_over_a_restart(tmp_path: Path) -> None:
    files = opened(tmp_path)
    add(files, "notes", "call this number", UNTRUSTED)
    files.lift("notes", "call this number")
    files.close()
    again = opened(tmp_path)
    assert again.entries("notes") == (Entry("call this number", NEW_SESSION),)
    again.close()


def test_what_is_forgotten_is_in_no_file_and_every_number_and_label_stays(tmp_path: Path) -> None:
    files = opened(tmp_path)
    add(files, "notes", "the blue tin", UNTRUSTED)
    add(files, "user", "likes tea")
    add(files, "notes", "the BLUE  tin again")
    assert files.forget(lambda text: "blue" in text.lower()) == 3
    assert (files.texts("notes"), files.texts("user")) == ((), ("likes tea",))
    assert len(files.known.revisions) == 4
    for path in (tmp_path / "memory").iterdir():
        assert b"blue" not in path.read_bytes().lower()
    add(files, "notes", "after", UNTRUSTED)
    files.close()
    again = opened(tmp_path)
    assert again.entries("notes") == (Entry("after", UNTRUSTED),)
    assert again.entries("user") == (Entry("likes tea", NEW_SESSION),)
    assert [revision.label for revision in again.known.revisions] == [
        UNTRUSTED,
        NEW_SESSION,
        NEW_SESSION,
        NEW_SESSION,
        UNTRUSTED,
    ]
    again.close()


def test_nothing_to_forget_changes_no_byte(tmp_path: Path) -> None:
    files = opened(tmp_path)
    add(files, "notes", "one")
    before = {path: path.read_bytes() for path in (tmp_path / "memory").iterdir()}
    assert files.forget(lambda _: False) == 0
    assert {path: path.read_bytes() for path in (tmp_path / "memory").iterdir()} == before
    files.close()
