from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.audit_chain import Broken, Head
from bxcore.audit_record import fields
from bxcore.labels import NEW_SESSION
from bxcore.messages.audit import ApprovalEnded, ApprovalOpened, GrantsLoaded
from bxio import audit_reader
from bxio.audit_log import AuditLog
from bxio.audit_reader import find, tail, verify
from tests.doubles.audit_process import intent, outcome


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


def write(path: Path, *records: object, size: int = 20) -> Head:
    """Call ids are intents with their outcomes, any other record is itself."""
    log = AuditLog.open(path)
    for record in records:
        made = (intent(record, size), outcome(record)) if isinstance(record, str) else (record,)
        for each in made:
            log.record({"time": "now", **fields(each)})  # type: ignore[arg-type]
    log.close()
    return log.head


def ids(path: Path, limit: int) -> list[str]:
    return [view.call for view in tail(path, limit)]


def opened(call: str, code: str) -> ApprovalOpened:
    return ApprovalOpened(
        session="home", turn=1, call=call, tool="shell", arguments_sha256="ab", arguments=None,
        grant="run-tests", grant_sha256="cd", label=NEW_SESSION, code=code, why="the grant asks",
    )  # fmt: skip


def test_the_last_calls_come_the_oldest_first(path: Path) -> None:
    write(path, GrantsLoaded(grants=(), why="start"), *(f"t{n}c1" for n in range(1, 8)))
    assert ids(path, 3) == ["t5c1", "t6c1", "t7c1"]
    assert len(ids(path, 100)) == 7
    assert ids(path, 0) == ids(path, -1) == []


def test_no_log_has_no_calls(path: Path) -> None:
    assert tail(path, 5) == []
    assert find(path, 1) is None
    assert verify(path) == Head()


def test_of_a_long_log_only_the_end_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, *(f"t{n}c1" for n in range(1, 120)), size=4_000)
    monkeypatch.setattr(audit_reader, "FIRST_BYTES", 1_000)
    seen: list[int] = []
    real = audit_reader._last_records

    def noted(at: Path, window: int) -> object:
        seen.append(window)
        return real(at, window)

    monkeypatch.setattr(audit_reader, "_last_records", noted)
    assert ids(path, 5) == [f"t{n}c1" for n in range(115, 120)]
    assert max(seen) < path.stat().st_size / 4
    monkeypatch.setattr(audit_reader, "MOST_BYTES", 9_000)
    assert ids(path, 50) == [f"t{n}c1" for n in range(119 - len(ids(path, 50)) + 1, 120)]
    assert 0 < len(ids(path, 50)) < 5


@given(window=st.integers(1, 3_000), limit=st.integers(1, 12))
def test_the_last_calls_are_the_same_whatever_is_read_first(
    tmp_path_factory: pytest.TempPathFactory, window: int, limit: int
) -> None:
    path = tmp_path_factory.mktemp("audit") / "audit.jsonl"
    write(path, *(f"t{n}c1" for n in range(1, 9)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(audit_reader, "FIRST_BYTES", window)
        assert ids(path, limit) == [f"t{n}c1" for n in range(1, 9)][-limit:]


def test_more_is_read_for_when_the_owner_was_asked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = ApprovalEnded(session="home", call="t1c1", code="k7", how="approved", by="bxctl")
    write(path, opened("t1c1", "k7"), *(f"t2c{n}" for n in range(9)), ended)
    run = {**fields(intent("t1c1")), "approval": "k7", "approver": "bxctl"}
    log = AuditLog.open(path)
    log.record({"time": "later", **run})
    log.close()
    monkeypatch.setattr(audit_reader, "FIRST_BYTES", 600)
    [view] = tail(path, 1)
    assert view.approval is not None
    assert (view.approval.asked, view.approval.how, view.outcome) == ("now", "approved", "running")


def test_a_call_that_the_end_of_the_box_cut_short_is_unknown_wherever_it_is_read(path: Path) -> None:
    start = GrantsLoaded(grants=(), why="start")
    write(path, start, "t1c1", intent("t2c1"), start, intent("t3c1"))
    assert [view.outcome for view in tail(path, 5)] == ["ok", "unknown", "running"]
    assert [view and view.outcome for view in (find(path, n) for n in (2, 4, 6))] == [
        "ok",
        "unknown",
        "running",
    ]


def test_a_call_is_found_by_any_of_its_records_numbers(path: Path) -> None:
    write(path, "t1c1", opened("t2c1", "k7"), "t10c1", "t1c1")
    assert [view and view.numbers for view in (find(path, n) for n in range(1, 9))] == [
        (1, 2), (1, 2), (3,), (4, 5), (4, 5), (6, 7), (6, 7), None,
    ]  # fmt: skip


def test_a_record_of_no_call_is_none(path: Path) -> None:
    write(path, GrantsLoaded(grants=(), why="start"), "t1c1")
    assert find(path, 1) is None
    assert find(path, -1) is None


def test_a_line_that_is_no_record_is_passed_over_but_for_verify(path: Path) -> None:
    write(path, "t1c1", "t2c1")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"\xff{]\n", *lines[2:]]))
    assert ids(path, 5) == ["t1c1", "t2c1"]
    assert find(path, 4) is not None
    assert verify(path) == Broken(line=3, sentence="line 3 is no audit record")


def test_what_is_being_written_is_not_there_yet(path: Path) -> None:
    head = write(path, "t1c1")
    with path.open("ab") as file:
        file.write(b'{"n":3,"before":"')
    assert verify(path, head) == head
    assert ids(path, 5) == ["t1c1"]
    head = write(path, "t2c1")
    path.write_bytes(path.read_bytes()[:-1])
    [_, last] = tail(path, 5)
    assert (last.outcome, last.numbers) == ("running", (3,))
    assert verify(path) == Head(number=3, sha256=json.loads(path.read_bytes().splitlines()[3])["before"])
    assert isinstance(verify(path, head), Broken)


def test_a_line_without_an_end_is_not_read_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, "t1c1")
    monkeypatch.setattr(audit_reader, "LONGEST_LINE", 1_000)
    with path.open("ab") as file:
        file.write(b"x" * 5_000)
    assert verify(path) == Broken(line=3, sentence="line 3 is no audit record")


def _tampered(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[2].replace(b'"allowed"', b'"refused"'), *lines[3:]]


def _swapped(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[3], lines[2], *lines[4:]]


@pytest.mark.parametrize(
    ("change", "line", "sentence"),
    [
        (_tampered, 4, "line 4 does not carry the sha256 of line 3"),
        (lambda lines: [*lines[:2], *lines[3:]], 3, "line 3 does not carry the sha256 of line 2"),
        (lambda lines: lines[1:], 1, "line 1 does not carry the sha256 of line 0"),
        (_swapped, 3, "line 3 does not carry the sha256 of line 2"),
        (lambda lines: [*lines[:3], lines[2], *lines[3:]], 4, "line 4 does not carry the sha256 of line 3"),
        (
            lambda lines: lines[:-1],
            6,
            "line 6 is missing: the log ends after record 5, but record 6 was written",
        ),
        (lambda lines: [*lines[:-1], lines[-1][:-9]], 6, "line 6 is missing: the log ends after record 5, "),
        (lambda lines: [], 1, "line 1 is missing: the log ends after record 0, but record 6 was written"),
    ],
)
def test_what_was_done_to_the_log_is_found_and_named(
    path: Path, change: Callable[[list[bytes]], list[bytes]], line: int, sentence: str
) -> None:
    head = write(path, "t1c1", "t2c1", "t3c1")
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    found = verify(path, head)
    assert isinstance(found, Broken)
    assert found.line == line
    assert found.sentence.startswith(sentence)


def test_a_log_that_was_written_anew_with_right_sums_is_found_by_its_head(path: Path) -> None:
    head = write(path, "t1c1", "t2c1")
    path.unlink()
    write(path, "t1c1", "t9c9", "t3c1")
    assert isinstance(verify(path), Head)
    assert verify(path, head) == Broken(line=4, sentence="line 4 is not the record 4 that was written first")


def test_any_byte_that_changes_is_found_with_the_head(path: Path) -> None:
    head = write(path, "t1c1", "t2c1")
    whole = path.read_bytes()
    for at, flip in itertools.product(range(0, len(whole), 5), (1, 0x80)):
        changed = bytearray(whole)
        changed[at] ^= flip
        path.write_bytes(changed)
        assert isinstance(verify(path, head), Broken), (at, flip)
    path.write_bytes(whole)
    assert verify(path, head) == head


def test_the_last_calls_of_the_first_form_are_read(path: Path) -> None:
    log = AuditLog.open(path)
    old = {
        name: value for name, value in fields(intent("t1c1")).items() if name not in {"approval", "approver"}
    }
    log.record({"time": "then", **old})
    log.close()
    assert "approver" not in json.loads(path.read_text())
    [view] = tail(path, 5)
    assert (view.time, view.decision, view.approver, view.approval) == ("then", "allowed", None, None)
