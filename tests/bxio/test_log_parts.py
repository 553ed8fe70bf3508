from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bxcore import journal, records
from bxcore.records import Assistant, Record, RecordError, SessionStart, User
from bxio import log_parts
from bxio.journal_file import JournalFile
from bxio.log_parts import LogParts

START = SessionStart(baseline="b")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "0.jsonl"


def append(path: Path, *added: Record, writes: int = 1) -> None:
    """Append each record so often; every call is a batch of its own."""
    file = JournalFile.open(path)
    for _ in range(writes):
        file.append([records.dump(record) for record in added], sync=False)
    file.append([], sync=True)
    file.close()


def bytes_read(
    parts: LogParts, path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, tuple[Record, ...]]:
    """How many records are parsed for a reading, and what it gives."""
    parsed: list[int] = []
    parse = records.parse

    def counted(text: str, number: int) -> Record:
        parsed.append(number)
        return parse(text, number)

    with monkeypatch.context() as patch:
        patch.setattr(records, "parse", counted)
        found = parts.read(path, may_be_torn=True)
    return len(parsed), found


def test_a_reading_goes_on_where_the_one_before_ended(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(path, START, User(text="one"))
    parts = LogParts()
    assert bytes_read(parts, path, monkeypatch) == (2, (START, User(text="one")))
    append(path, Assistant(content="yes"), User(text="two"))
    read, found = bytes_read(parts, path, monkeypatch)
    assert (read, found) == (2, records.read(path.read_bytes()))
    assert bytes_read(parts, path, monkeypatch) == (0, found)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.lists(st.text(max_size=8), max_size=4), max_size=6), cut=st.integers(0, 60))
def test_it_gives_what_a_whole_reading_gives_after_any_batches_and_with_any_torn_tail(
    tmp_path: Path, batches: Sequence[Sequence[str]], cut: int
) -> None:
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
    parts, written, crc, seq = LogParts(), b"", journal.START, 0
    for batch in batches:
        first = seq
        for text in batch:
            line, crc = journal.frame([records.dump(User(text=text))], seq, crc, first=first)
            path.write_bytes(written + line[: min(cut, len(line) - 1)])  # the writer is in the middle of it
            assert parts.read(path, may_be_torn=True) == records.read(written)
            written, seq = written + line, seq + 1
            path.write_bytes(written)
            assert parts.read(path, may_be_torn=True) == records.read(written)


def test_a_log_that_was_written_anew_is_read_anew(path: Path) -> None:
    append(path, START, User(text="a secret word"), User(text="two"))
    parts = LogParts()
    parts.read(path, may_be_torn=True)
    path.write_bytes(
        journal.written([records.dump(each) for each in (START, User(text=""), User(text="two"))])
    )
    assert parts.read(path, may_be_torn=True) == (START, User(text=""), User(text="two"))


def test_a_log_of_the_same_inode_and_size_is_known_by_its_last_line(path: Path) -> None:
    append(path, START, User(text="abc"), User(text="two"))
    parts = LogParts()
    parts.read(path, may_be_torn=True)
    before = path.stat()
    anew = journal.written([records.dump(each) for each in (START, User(text="xyz"), User(text="two"))])
    with path.open("r+b") as file:
        file.truncate(0)
        file.write(anew)
    assert (path.stat().st_ino, path.stat().st_size) == (before.st_ino, before.st_size)
    assert parts.read(path, may_be_torn=True)[1] == User(text="xyz")


def test_a_log_that_was_cut_short_is_read_anew(path: Path) -> None:
    append(path, START, User(text="one"))
    short = path.read_bytes()
    append(path, User(text="two"))
    parts = LogParts()
    parts.read(path, may_be_torn=True)
    path.write_bytes(short)
    assert parts.read(path, may_be_torn=True) == (START, User(text="one"))


def test_damage_behind_what_is_known_is_refused_with_its_line(path: Path) -> None:
    append(path, START, User(text="one"))
    parts = LogParts()
    parts.read(path, may_be_torn=True)
    append(path, User(text="two"))
    append(path, User(text="three"))
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"two"', b'"twx"'))
    with pytest.raises(journal.DamageError, match="line 3 of the log is damaged"):
        parts.read(path, may_be_torn=True)


def test_a_line_that_is_no_record_is_named_by_its_number(path: Path) -> None:
    append(path, START, User(text="one"))
    parts = LogParts()
    parts.read(path, may_be_torn=True)
    file = JournalFile.open(path)
    file.append(['{"kind":"dream"}'], sync=True)
    file.close()
    with pytest.raises(RecordError, match="line 3 of the log is no record"):
        parts.read(path, may_be_torn=True)


def test_a_line_that_was_being_written_does_not_cost_the_others(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(path, START, User(text="one"))
    whole = path.read_bytes()
    parts = LogParts()
    append(path, User(text="two"))
    both = path.read_bytes()
    path.write_bytes(both[:-5])
    assert bytes_read(parts, path, monkeypatch) == (2, records.read(whole))
    path.write_bytes(both)
    assert bytes_read(parts, path, monkeypatch) == (1, records.read(both))


def test_a_torn_line_is_refused_where_there_can_be_none(path: Path) -> None:
    append(path, START, User(text="one"))
    parts = LogParts()
    parts.read(path, may_be_torn=False)
    path.write_bytes(path.read_bytes() + b'{"crc":"0')
    with pytest.raises(RecordError, match="line 3 of the log is damaged"):
        parts.read(path, may_be_torn=False)


def test_bare_lines_of_an_old_log_are_read_whole(path: Path) -> None:
    path.write_bytes(b'{"kind":"user","text":"one"}\n')
    parts = LogParts()
    assert parts.read(path, may_be_torn=True) == (User(text="one"),)
    path.write_bytes(path.read_bytes() + b'{"kind":"user","text":"two"}\n')
    assert parts.read(path, may_be_torn=True) == (User(text="one"), User(text="two"))


def test_few_files_are_held_and_none_after_a_drop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_parts, "MOST_FILES", 2)
    paths = [tmp_path / f"{number}.jsonl" for number in range(3)]
    parts = LogParts()
    for path in paths:
        append(path, START)
        parts.read(path, may_be_torn=True)
    assert [bytes_read(parts, path, monkeypatch)[0] for path in (paths[2], paths[1])] == [0, 0]
    assert bytes_read(parts, paths[0], monkeypatch)[0] == 1
    parts.drop()
    assert bytes_read(parts, paths[0], monkeypatch)[0] == 1


def test_a_very_long_file_is_not_held(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(path, START)
    monkeypatch.setattr(log_parts, "MOST_BYTES", path.stat().st_size - 1)
    parts = LogParts()
    assert [bytes_read(parts, path, monkeypatch)[0] for _ in range(2)] == [1, 1]
