from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bxcore import journal, memory_entries, memory_revisions
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.memory_entries import Edited
from bxio.memory_files import Editor, Entry, MemoryFiles, MemoryFilesError

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)


def opened(folder: Path) -> MemoryFiles:
    return MemoryFiles.open(folder / "memory", lambda: "2026-11-02T10:00:00+00:00")


def add(files: MemoryFiles, file: str, text: str, label: Label = NEW_SESSION) -> None:
    edited = memory_entries.add(file, files.texts(file), text)
    assert isinstance(edited, Edited)
    files.write(file, edited, Editor(session="k3f", turn=4, label=label))


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
    edited = memory_entries.replace("memory", files.texts("memory"), "a", "b")
    assert isinstance(edited, Edited)
    files.write("memory", edited, Editor(session="x", turn=9, label=NEW_SESSION))
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
    edited = memory_entries.replace("notes", files.texts("notes"), "old", "new")
    assert isinstance(edited, Edited)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(MemoryFilesError, match=r"notes.md cannot be written: no space left on device"):
            files.write("notes", edited, Editor(session="k3f", turn=5, label=NEW_SESSION))
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
    edited = memory_entries.replace("notes", files.texts("notes"), "old", "new")
    assert isinstance(edited, Edited)
    faults = Faults(good)
    with monkeypatch.context() as patch:
        for name in ("write", "fsync", "fdatasync", "ftruncate"):
            patch.setattr(os, name, faults.step(getattr(os, name)))
        patch.setattr(Path, "rename", faults.step(Path.rename))
        try:
            files.write("notes", edited, Editor(session="k3f", turn=5, label=NEW_SESSION))
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
