"""The approvals' journal: on disk when it returns, over a crash, over processes, under a torn tail."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from bxcore.approvals import Approvals, Ended, How, Opened
from bxio.approval_journal import ApprovalJournal
from bxio.journal_file import JournalError
from tests.bxcore.test_approvals import K7

M3 = replace(K7, code="m3", call="t2c2")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "approvals.jsonl"


def journal(path: Path, instance: str = "one") -> ApprovalJournal:
    return ApprovalJournal(path, instance)


def test_what_was_written_is_found_by_the_same_process(path: Path) -> None:
    one = journal(path)
    assert one.open().approvals == Approvals()
    one.write(Opened(approval=K7))
    one.write(Opened(approval=M3))
    one.write(Ended(code="k7", how=How.DENIED, by="bxctl"))
    found = one.open()
    one.close()
    assert list(found.approvals.pending) == ["m3"]
    assert found.approvals.was_denied("k3f", 2, "shell", "a" * 64)
    assert (found.closed, found.of_earlier, found.torn_note) == ((), False, None)


def test_it_can_be_opened_again_though_nobody_closed_it(path: Path) -> None:
    """A fenced actor closes nothing; the next one has the same journal."""
    one = journal(path)
    one.open()
    one.write(Opened(approval=K7))
    assert list(one.open().approvals.pending) == ["k7"]
    one.close()


def test_the_next_process_begins_anew_with_what_it_must_know(path: Path) -> None:
    one = journal(path)
    one.open()
    for number in range(20):
        one.write(Opened(approval=replace(K7, code=f"a{number}", call=f"c{number}")))
    one.close()
    two = journal(path, "two")
    found = two.open()
    assert found.of_earlier
    assert len(found.closed) == 20
    two.begin_anew(found.approvals)
    two.write(Opened(approval=M3))
    again = two.open()
    two.close()
    assert (again.closed, again.of_earlier) == ((), False)
    assert list(again.approvals.pending) == ["m3"]
    assert len(again.approvals.over) == 20
    assert "opened" not in path.read_text().replace(path.read_text().splitlines()[-1], "")


def test_a_crash_before_it_began_anew_closes_the_same_ones_once_more(path: Path) -> None:
    one = journal(path)
    one.open()
    one.write(Opened(approval=K7))
    one.close()
    for instance in ("two", "three"):
        found = journal(path, instance)
        assert [over.approval.code for over in found.open().closed] == ["k7"]
        found.close()


def test_the_file_is_ours_alone(path: Path) -> None:
    one = journal(path)
    found = one.open()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    one.begin_anew(found.approvals)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    one.close()


def test_a_torn_tail_is_cut_and_said(path: Path) -> None:
    one = journal(path)
    one.open()
    one.write(Opened(approval=K7))
    one.write(Opened(approval=M3))
    one.close()
    data = path.read_bytes()
    for size in range(data.index(b"\n") + 2, len(data), 37):
        path.write_bytes(data[:size])
        found = one.open()
        one.close()
        assert list(found.approvals.pending) == ["k7"]
        assert found.torn_note is not None
        assert "torn bytes were cut and kept in" in found.torn_note
        for kept in path.parent.glob("*.torn-*"):
            kept.unlink()


def test_damage_and_other_records_are_errors(path: Path) -> None:
    one = journal(path)
    one.open()
    one.write(Opened(approval=K7))
    one.write(Opened(approval=M3))
    one.close()
    data = path.read_bytes()
    path.write_bytes(data.replace(b"t2c1", b"t9c9", 1))
    with pytest.raises(JournalError, match="damaged"):
        one.open()
    path.write_bytes(b"")
    from bxio.journal_file import JournalFile

    file = JournalFile.open(path)
    file.append(['{"kind":"turn"}'], sync=True)
    file.close()
    with pytest.raises(JournalError, match="a record is no approval's; move it away"):
        one.open()


def test_a_journal_that_is_not_open_takes_nothing(path: Path) -> None:
    with pytest.raises(JournalError, match="is not open"):
        journal(path).write(Opened(approval=K7))


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(JournalError):
        journal(tmp_path / "missing" / "approvals.jsonl").open()
