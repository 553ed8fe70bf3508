"""A person edits the files too: nothing of that is lost or written over, and each oddity has its sentence."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bxcore import memory_entries
from bxcore.labels import NEW_SESSION
from bxcore.memory_entries import Edited, NotEdited
from bxio import memory_files
from bxio.journal_file import JournalFile
from bxio.memory_files import OPERATOR, Entry, MemoryFilesError
from tests.bxio.test_memory_files import UNTRUSTED, add, adding, opened


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


def test_a_file_that_is_a_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    files = opened(tmp_path)
    (tmp_path / "memory" / "user.md").mkdir()
    with pytest.raises(MemoryFilesError, match=r"user.md cannot be read: is a directory"):
        files.texts("user")
    files.close()


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

    assert isinstance(files.edit("notes", change, OPERATOR), Edited)
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
        files.edit("notes", change, OPERATOR)
    assert "two" not in path.read_text()
    files.close()


def saving(text: str, path: Path, real: Callable[..., Any], *, before: bool) -> Callable[..., Any]:
    """``real``, with a person who saves ``text`` the first time that it is called."""
    saved = iter([text])

    def call(*args: Any, **named: Any) -> Any:
        if before and (found := next(saved, None)) is not None:
            path.write_text(found)
        result = real(*args, **named)
        if not before and (found := next(saved, None)) is not None:
            path.write_text(found)
        return result

    return call


@pytest.mark.parametrize("text", ["one\n§\nby hand\n", "two\n", ""])
@pytest.mark.parametrize("step", ["write_beside", "append"])
def test_what_a_person_saves_just_before_the_rename_is_kept_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, text: str
) -> None:
    files = opened(tmp_path)
    add(files, "notes", "one")
    path = tmp_path / "memory" / "notes.md"
    room: Any = memory_files if step == "write_beside" else JournalFile
    with monkeypatch.context() as patch:
        patch.setattr(room, step, saving(text, path, getattr(room, step), before=False))
        add(files, "notes", "strange", UNTRUSTED)
    by_hand = memory_entries.parse(text)
    assert files.texts("notes") == (*by_hand, "strange")
    assert {entry.label for entry in files.entries("notes")[:-1]} <= {NEW_SESSION}
    assert files.entries("notes")[-1].label == UNTRUSTED
    files.close()
    again = opened(tmp_path)
    assert again.texts("notes") == (*by_hand, "strange")
    assert [revision for revision in again.known.revisions if "strange" in revision.removed] == [
        revision for revision in again.known.revisions if revision.undoes
    ]
    again.close()


def test_an_edit_that_never_came_to_its_file_is_not_undone_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = opened(tmp_path)
    add(files, "notes", "one")
    path = tmp_path / "memory" / "notes.md"
    with monkeypatch.context() as patch:
        hand = saving("by hand\n", path, JournalFile.append, before=False)
        patch.setattr(JournalFile, "append", hand)
        add(files, "notes", "two")
    assert [(r.who, r.added, r.removed, r.undoes) for r in files.known.revisions[1:]] == [
        ("session", ("two",), (), 0),
        ("session", (), ("two",), 2),
        ("hand", ("by hand",), ("one",), 0),
        ("session", ("two",), (), 0),
    ]
    assert files.known.newest() == 5
    files.close()


def test_two_saves_within_a_tick_of_the_clock_are_told_apart(tmp_path: Path) -> None:
    files = opened(tmp_path)
    path = tmp_path / "memory" / "notes.md"
    path.write_text("one\n")
    assert files.texts("notes") == ("one",)
    found = path.stat()
    path.write_text("two\n")
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert files.texts("notes") == ("two",)
    files.close()


@pytest.mark.timeout(10)
def test_a_pipe_or_a_device_is_neither_read_nor_renamed_over(tmp_path: Path) -> None:
    files = opened(tmp_path)
    os.mkfifo(tmp_path / "memory" / "user.md")
    (tmp_path / "memory" / "notes.md").symlink_to("/dev/null")
    for file in ("user", "notes"):
        with pytest.raises(MemoryFilesError, match="cannot be read: is a pipe or a device; mend it"):
            add(files, file, "tea")
    assert len(files.known.revisions) == 0
    files.close()


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"one", ("one",)),
        (b"one\r\n\xc2\xa7\r\ntwo", ("one", "two")),
        (b"\xef\xbb\xbfone\n", ("one",)),
        (b"one\n\xc2\xa7\none\n", ("one", "one")),
        (b"\n\xc2\xa7\n\n\xc2\xa7 \none\n\n", ("one",)),
        (b"one\x00\x85\xe2\x80\xa8", ("one\x00\ufffd",)),
        (b"", ()),
    ],
)
def test_however_a_person_saved_it_each_entry_is_kept_by_an_edit(
    tmp_path: Path, data: bytes, found: tuple[str, ...]
) -> None:
    files = opened(tmp_path)
    path = tmp_path / "memory" / "notes.md"
    path.write_bytes(data)
    assert files.texts("notes") == found
    if b"\x85" in data:
        with pytest.raises(MemoryFilesError, match="not UTF-8"):
            add(files, "notes", "three")
        assert path.read_bytes() == data
    else:
        add(files, "notes", "three")
        assert path.read_text() == memory_entries.render((*found, "three"))
    files.close()


def test_a_file_that_a_person_made_too_long_is_kept_and_can_only_shrink(tmp_path: Path) -> None:
    files = opened(tmp_path)
    path = tmp_path / "memory" / "user.md"
    path.write_text("x" * 3000 + "\n§\nlikes tea\n")
    refused = files.edit("user", adding("user", "more"), OPERATOR)
    assert isinstance(refused, NotEdited)
    assert "user.md is too full: it holds 3013 of 1400" in refused.sentence
    assert path.read_text() == "x" * 3000 + "\n§\nlikes tea\n"
    shrunk = files.edit("user", lambda had: memory_entries.remove("user", had, "tea"), OPERATOR)
    assert isinstance(shrunk, Edited)
    assert files.texts("user") == ("x" * 3000,)
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


def test_what_a_link_leads_to_keeps_its_mode(tmp_path: Path) -> None:
    files = opened(tmp_path)
    real = tmp_path / "dotfiles.md"
    real.write_text("one\n")
    real.chmod(0o664)
    (tmp_path / "memory" / "notes.md").symlink_to(real)
    add(files, "notes", "two")
    assert stat.S_IMODE(real.stat().st_mode) == 0o664
    add(files, "user", "three")
    assert stat.S_IMODE(files.path("user").stat().st_mode) == 0o600
    files.close()


def test_a_linked_file_with_a_second_name_is_not_parted_from_it(tmp_path: Path) -> None:
    files = opened(tmp_path)
    real, second = tmp_path / "dotfiles.md", tmp_path / "second.md"
    real.write_text("one\n")
    second.hardlink_to(real)
    (tmp_path / "memory" / "notes.md").symlink_to(real)
    with pytest.raises(MemoryFilesError, match="has a second name; link to a file of your own"):
        add(files, "notes", "two")
    assert real.read_text() == second.read_text() == "one\n"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    files.close()
