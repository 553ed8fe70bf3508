"""Without the record of revisions nobody knows who wrote an entry: none counts as the owner's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.labels import NEW_SESSION, TOP, Label, Level
from bxcore.memory_revisions import Revision
from bxio import lost_revisions
from bxio.memory_files import REVISIONS, Entry, MemoryFiles, MemoryFilesError
from tests.bxio.test_memory_files import add, opened

STRANGER = Label(Level.PRIVATE, untrusted=True)
GARBAGE = [b"garbage", b"garbage\n" * 9, b"\x00" * 4096, b'{"crc":"00000000","seq":0', b"\n"]


def again(folder: Path, *, lived: bool = True) -> MemoryFiles:
    return MemoryFiles.open(folder / "memory", lambda: "later", lived=lived)


def lived_in(folder: Path) -> Path:
    """A folder with a stranger's note and one of the owner; gives the path of its revisions."""
    files = opened(folder)
    add(files, "notes", "call this number", STRANGER)
    add(files, "user", "likes tea")
    files.close()
    return folder / "memory" / REVISIONS


def labels(files: MemoryFiles) -> set[Label]:
    return {entry.label for file in ("memory", "user", "notes") for entry in files.entries(file)}


def test_a_record_that_is_gone_makes_every_entry_untrusted_for_good(tmp_path: Path) -> None:
    lived_in(tmp_path).unlink()
    files = again(tmp_path)
    assert files.lost.startswith(f"{tmp_path / 'memory' / REVISIONS} is gone, and with it who wrote what: ")
    assert "all entries (2) count as untrusted now" in files.lost
    assert "what was there" not in files.lost
    assert labels(files) == {TOP}
    assert files.known.origin("notes", "call this number") == Revision(
        file="notes", who="unknown", at="later", label=TOP, added=("call this number",)
    )
    files.close()
    files = again(tmp_path)
    assert (files.lost, labels(files)) == ("", {TOP})
    files.close()


@pytest.mark.parametrize("garbage", GARBAGE)
def test_one_without_a_whole_line_is_kept_aside(tmp_path: Path, garbage: bytes) -> None:
    path = lived_in(tmp_path)
    path.write_bytes(garbage)
    files = again(tmp_path)
    assert labels(files) == {TOP}
    kept = path.with_name(f"{REVISIONS}.torn-1")
    assert kept.read_bytes() == garbage
    assert "has no line that can be read" in files.lost
    assert files.lost.endswith(f"; what was there is {kept}")
    files.close()


def test_what_an_operator_trusts_then_is_trusted_and_what_a_person_adds_later_too(tmp_path: Path) -> None:
    lived_in(tmp_path).unlink()
    files = again(tmp_path)
    files.lift("notes", "call this number")
    (tmp_path / "memory" / "user.md").write_text("likes tea\n§\nby hand\n")
    assert files.entries("notes") == (Entry("call this number", NEW_SESSION),)
    assert files.entries("user") == (Entry("likes tea", TOP), Entry("by hand", NEW_SESSION))
    files.close()


def test_a_first_start_takes_what_a_person_wrote_for_theirs(tmp_path: Path) -> None:
    lived_in(tmp_path).unlink()
    files = again(tmp_path, lived=False)
    assert (files.lost, labels(files)) == ("", {NEW_SESSION})
    files.close()


def test_a_record_in_which_nothing_was_edited_yet_is_not_lost(tmp_path: Path) -> None:
    opened(tmp_path).close()
    (tmp_path / "memory" / "user.md").write_text("by hand\n")
    files = again(tmp_path)
    assert (files.lost, labels(files)) == ("", {NEW_SESSION})
    files.close()


def test_a_torn_tail_behind_a_good_line_loses_no_label(tmp_path: Path) -> None:
    path = lived_in(tmp_path)
    path.write_bytes(path.read_bytes() + b"garbage")
    files = again(tmp_path)
    assert (files.lost, labels(files)) == ("", {STRANGER, NEW_SESSION})
    files.close()


def test_damage_before_good_lines_is_refused_as_ever(tmp_path: Path) -> None:
    path = lived_in(tmp_path)
    path.write_bytes(b"X" + path.read_bytes())
    before = path.read_bytes()
    with pytest.raises(MemoryFilesError, match=r"line 1 of the log is damaged.*restore it from a backup"):
        again(tmp_path)
    assert path.read_bytes() == before


def test_a_crash_while_it_is_begun_anew_leaves_the_loss_to_be_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived_in(tmp_path).write_bytes(b"garbage")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(lost_revisions, "write_whole", full)
        with pytest.raises(MemoryFilesError, match="no space left on device"):
            again(tmp_path)
    files = again(tmp_path)
    assert labels(files) == {TOP}
    files.close()


def test_a_linked_file_counts_too(tmp_path: Path) -> None:
    path = lived_in(tmp_path)
    notes = path.with_name("notes.md")
    notes.rename(tmp_path / "mine.md")
    notes.symlink_to(tmp_path / "mine.md")
    path.unlink()
    files = again(tmp_path)
    assert files.entries("notes") == (Entry("call this number", TOP),)
    files.close()
