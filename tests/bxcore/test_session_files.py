"""What the names and sizes of a session's files tell: new, whole, or a part of it lost."""

from __future__ import annotations

import pytest

from bxcore import session_files

B = "baseline.json"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, None),
        ({"0.jsonl": 0}, None),
        ({"0.jsonl": 0, f"{B}.next": 9}, None),
        ({"0.jsonl": 9, B: 9, "results": 0, "0.jsonl.torn-1": 3}, None),
        ({"0.jsonl": 9, "1.jsonl": 9, "2.jsonl": 9}, None),
        ({B: 9}, "0.jsonl is missing, and baseline.json is there"),
        ({"0.jsonl": 0, B: 9}, "0.jsonl is empty, and had begun"),
        ({"0.jsonl": 0, "1.jsonl": 9}, "0.jsonl is empty, and had begun"),
        ({"0.jsonl": 9, "1.jsonl": 0}, "1.jsonl is empty, and had begun"),
        ({"1.jsonl": 9, "2.jsonl": 9}, "0.jsonl is missing, and 1.jsonl is there"),
        ({"0.jsonl": 9, "1.jsonl": 9, "10.jsonl": 9}, "2.jsonl is missing, and 10.jsonl is there"),
    ],
)
def test_a_file_that_is_lost_is_named(files: dict[str, int], says: str | None) -> None:
    assert session_files.incomplete(files, files.get) == says


def test_a_size_that_nobody_can_tell_is_no_empty_file() -> None:
    assert session_files.incomplete({"0.jsonl", B}, lambda _name: None) is None


@pytest.mark.parametrize(
    ("name", "log", "torn"),
    [
        ("0.jsonl", True, False),
        ("17.jsonl", True, False),
        ("01.jsonl", False, False),
        ("x.jsonl", False, False),
        ("3.jsonl.torn-2", False, True),
        ("a.torn-1", False, False),
    ],
)
def test_parts_of_a_log_and_torn_tails_are_told_by_their_names(name: str, *, log: bool, torn: bool) -> None:
    assert (session_files.is_log(name), session_files.is_torn(name)) == (log, torn)
