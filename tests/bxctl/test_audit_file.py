from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.control import Exit
from bxctl import audit_file
from bxctl.audit_file import record_of_file, tail_of_file, walk_file
from bxctl.errors import CommandError
from tests.actors.test_connection_audit import write


def test_a_missing_log_is_an_empty_one(tmp_path: Path) -> None:
    assert walk_file(tmp_path / "audit.jsonl")["sentence"] == "0 records, the chain holds"


def test_a_line_without_its_end_is_not_there_yet(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    write(path, 1)
    path.write_bytes(path.read_bytes() + b"torn")
    assert walk_file(path) == {
        "ok": True,
        "records": 1,
        "line": None,
        "sentence": "1 record, the chain holds",
    }


def test_what_cannot_be_read_is_raised(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        walk_file(tmp_path)


def test_the_last_calls_are_the_ones_in_the_file_s_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "audit.jsonl"
    assert tail_of_file(path, 5) == {"calls": []}
    write(path, 30)
    assert [call["call"] for call in tail_of_file(path, 2)["calls"]] == ["c28", "c29"]
    assert len(tail_of_file(path, 100)["calls"]) == 30
    assert tail_of_file(path, 0) == {"calls": []}
    monkeypatch.setattr(audit_file, "TAIL_BYTES", path.stat().st_size // 2)
    assert 10 < len(tail_of_file(path, 100)["calls"]) < 20


def test_a_record_is_found_with_all_of_its_call(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    write(path, 3)
    assert record_of_file(path, 3)["numbers"] == record_of_file(path, 4)["numbers"] == [3, 4]
    with pytest.raises(CommandError) as caught:
        record_of_file(tmp_path / "none", 1)
    assert caught.value.exit is Exit.NO_SUCH_THING
