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


def test_a_crash_between_revision_and_file_loses_no_label(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = opened(tmp_path)
    add(files, "notes", "old", UNTRUSTED)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", full)
        with pytest.raises(MemoryFilesError, match=r"notes.md cannot be written: no space left on device"):
            files.edit("notes", replaced, Editor(session="k3f", turn=5, label=NEW_SESSION))
    assert files.entries("notes") == (Entry("old", UNTRUSTED),)
    assert [revision.who for revision in files.known.revisions] == ["session"] * 3
    assert [path.name for path in (tmp_path / "memory").glob(".*")] == []
    add(files, "notes", "new")
    assert files.entries("notes")[1] == Entry("new", UNTRUSTED)
    files.close()


def test_a_folder_that_others_may_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory").chmod(0o755)
    with pytest.raises(MemoryFilesError, match="0700"):
        opened(tmp_path)


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


def test_a_leftover_of_a_crash_is_gone_after_a_start(tmp_path: Path) -> None:
    opened(tmp_path).close()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "memory" / "user.md").symlink_to(tmp_path / "elsewhere" / "me.md")
    left = [tmp_path / "memory" / ".notes.md.new", tmp_path / "memory" / ".revisions.jsonl.new"]
    left.append(tmp_path / "elsewhere" / ".me.md.new")
    for path in left:
        path.write_text("half of it")
    opened(tmp_path).close()
    assert not any(path.exists() for path in left)


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


def test_what_stands_at_places_is_forgotten_wherever_it_stands_and_once(tmp_path: Path) -> None:
    files = opened(tmp_path)
    add(files, "notes", "the blue tin", UNTRUSTED)
    add(files, "user", "the blue tin")
    add(files, "user", "likes tea")
    assert files.forget_places([(1, "added", 0), (77, "added", 0)]) == 4
    assert (files.texts("notes"), files.texts("user")) == ((), ("likes tea",))
    for path in (tmp_path / "memory").iterdir():
        assert b"blue" not in path.read_bytes()
    assert files.forget_places([(1, "added", 0)]) == 0
    add(files, "notes", "the blue tin")
    assert files.forget_places([(1, "added", 0)]) == 0, "what was said again since stays"
    files.close()


def test_nothing_to_forget_changes_no_byte(tmp_path: Path) -> None:
    files = opened(tmp_path)
    add(files, "notes", "one")
    before = {path: path.read_bytes() for path in (tmp_path / "memory").iterdir()}
    assert files.forget(lambda _: False) == 0
    assert {path: path.read_bytes() for path in (tmp_path / "memory").iterdir()} == before
    files.close()
