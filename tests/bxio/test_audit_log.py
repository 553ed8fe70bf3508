from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bxcore.audit_chain import Broken, Head
from bxio import audit_reader
from bxio.audit_log import AuditLog
from bxio.journal_file import JournalError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


def test_records_are_numbered_over_a_restart(path: Path) -> None:
    log = AuditLog.open(path)
    assert [log.record({"tool": "recall"}), log.record({"tool": "memory"})] == [1, 2]
    log.close()
    again = AuditLog.open(path)
    assert again.torn is None
    assert again.record({"tool": "clock"}) == 3
    again.close()
    assert [json.loads(line)["tool"] for line in path.read_text().splitlines()] == [
        "recall",
        "memory",
        "clock",
    ]
    assert audit_reader.verify(path) == again.head
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("torn", [b'{"n":3,"bef', b"\x00\x00\x00\n", b"{}\n"])
def test_a_torn_last_line_is_cut_kept_and_said(path: Path, torn: bytes) -> None:
    log = AuditLog.open(path)
    log.record({"tool": "recall"})
    log.record({"tool": "memory"})
    log.close()
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    again = AuditLog.open(path)
    assert again.torn is not None
    assert again.torn.size == len(torn)
    assert again.torn.kept.read_bytes() == torn
    assert path.read_bytes() == whole
    assert again.record({"tool": "clock"}) == 3
    again.close()
    assert audit_reader.verify(path) == again.head


@pytest.mark.parametrize("torn", [b"", b'{"n":3,"bef', b"x" * 3_000_000])
def test_a_last_record_that_is_longer_than_what_is_read_at_first_is_no_torn_line(
    path: Path, torn: bytes
) -> None:
    """``write_file`` takes 262,144 characters, and each may take 12 bytes here."""
    log = AuditLog.open(path)
    log.record({"tool": "recall"})
    log.record({"arguments": "\U0001f511" * 262_144})
    log.close()
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    again = AuditLog.open(path)
    assert path.read_bytes() == whole
    assert (again.torn is not None) == bool(torn)
    assert again.head == log.head
    again.close()


def test_a_written_record_is_settled_by_the_next_sync(path: Path) -> None:
    log = AuditLog.open(path)
    assert log.write({"tool": "a"}) == 1
    assert (log.head.number, log.settled) == (1, 0)
    log.sync()
    assert log.settled == 1
    log.close()
    again = AuditLog.open(path)
    assert again.settled == 1
    again.close()


def test_never_more_than_one_record_waits_for_a_sync(path: Path) -> None:
    log = AuditLog.open(path)
    assert [log.write({"tool": "a"}), log.write({"tool": "b"})] == [1, 2]
    assert log.settled == 1
    log.close()


def test_a_log_that_is_only_a_torn_line_starts_anew(path: Path) -> None:
    path.write_bytes(b'{"n":1')
    path.chmod(0o600)
    log = AuditLog.open(path)
    assert log.torn is not None
    assert log.record({}) == 1
    log.close()


def test_the_first_broken_line_is_found(path: Path) -> None:
    log = AuditLog.open(path)
    for number in range(4):
        log.record({"tool": str(number)})
    log.close()
    path.write_bytes(path.read_bytes().replace(b'"tool":"1"', b'"tool":"7"'))
    assert audit_reader.verify(path) == Broken(line=3, sentence="line 3 does not carry the sha256 of line 2")


def test_no_log_is_an_empty_chain(path: Path) -> None:
    assert audit_reader.verify(path) == Head()


def test_a_line_that_is_being_written_is_not_there_yet(path: Path) -> None:
    log = AuditLog.open(path)
    log.record({})
    with path.open("ab") as file:
        file.write(b'{"n":2')
    assert audit_reader.verify(path) == log.head
    log.close()


def test_a_failed_write_leaves_the_log_whole_and_the_next_one_works(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = AuditLog.open(path)
    log.record({"tool": "a"})
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda fd, data: real(fd, data[:7]))
        with pytest.raises(JournalError, match="cannot be written"):
            log.record({"tool": "b"})
    assert log.record({"tool": "c"}) == 2
    log.close()
    assert audit_reader.verify(path) == log.head


def test_after_a_failed_sync_nothing_more_is_written_in_this_process(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = AuditLog.open(path)

    def broken(_: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", broken)
        with pytest.raises(JournalError, match="could not be synced"):
            log.record({"tool": "a"})
    with pytest.raises(JournalError, match="could not be synced"):
        log.record({"tool": "b"})
    log.close()
    with pytest.raises(JournalError, match="could not be synced"):
        AuditLog.open(path)


def test_after_half_a_line_that_cannot_be_taken_back_nothing_more_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = AuditLog.open(path)
    log.record({"tool": "a"})
    real = os.write

    def broken(_descriptor: int, _length: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda fd, data: real(fd, data[:7]))
        patch.setattr(os, "ftruncate", broken)
        with pytest.raises(JournalError, match="the disk took 7 of"):
            log.record({"tool": "b"})
    with pytest.raises(JournalError, match="could not be synced"):
        log.record({"tool": "c"})
    assert path.read_bytes().count(b"\n") == 1
    log.close()


def test_damage_before_the_last_line_is_refused_with_what_to_do(path: Path) -> None:
    path.write_bytes(b"nonsense\nmore of it\n")
    path.chmod(0o600)
    with pytest.raises(JournalError, match="damaged before its last line"):
        AuditLog.open(path)
