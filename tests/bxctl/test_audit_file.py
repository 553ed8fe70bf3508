from __future__ import annotations

from pathlib import Path

import pytest

from bxctl.audit_file import walk_file
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
