"""Which files a session's log is, and the lock that is over all of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bxcore.records import SessionStart
from bxio import session_logs
from bxio.session_logs import SessionError
from bxio.session_store import SessionStore


def test_the_files_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in [f"{number}.jsonl" for number in range(12)] + ["x.jsonl", "01.jsonl", "0.jsonl.torn-1"]:
        (tmp_path / name).write_text("x")
    assert [path.name for path in session_logs.logs(tmp_path)] == [f"{n}.jsonl" for n in range(12)]
    assert session_logs.logs(tmp_path / "none") == ()


def test_a_missing_file_between_is_no_shorter_session(tmp_path: Path) -> None:
    for number in (0, 1, 3):
        (tmp_path / f"{number}.jsonl").touch()
    with pytest.raises(SessionError, match=r"2\.jsonl is missing, and 3\.jsonl is there; restore"):
        session_logs.logs(tmp_path)


def test_an_empty_file_is_one_that_never_began_only_where_no_other_says_so(tmp_path: Path) -> None:
    (tmp_path / "0.jsonl").touch()
    assert session_logs.logs(tmp_path) == (tmp_path / "0.jsonl",)
    (tmp_path / "baseline.json").touch()
    with pytest.raises(SessionError, match=r"0\.jsonl is empty, and had begun; restore"):
        session_logs.logs(tmp_path)
    (tmp_path / "baseline.json").unlink()
    (tmp_path / "1.jsonl").write_text("x")
    with pytest.raises(SessionError, match=r"0\.jsonl is empty, and had begun; restore"):
        session_logs.logs(tmp_path)


def test_torn_tails_of_every_epoch_are_known(tmp_path: Path) -> None:
    for name in ("0.jsonl.torn-1", "17.jsonl.torn-2", "a.torn-1", "0.jsonl"):
        (tmp_path / name).touch()
    assert [path.name for path in session_logs.torn_tails(tmp_path)] == ["0.jsonl.torn-1", "17.jsonl.torn-2"]
    assert session_logs.torn_tails(tmp_path / "none") == []


def test_bytes_and_last_change_are_those_of_all_files(tmp_path: Path) -> None:
    for number, size in enumerate((5, 7, 11)):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(b"x" * size)
        os.utime(path, (100 - number, 100 - number))
    assert session_logs.state_of(str(tmp_path)) == (100.0, 23)
    with pytest.raises(OSError):  # noqa: PT011 - any will do
        session_logs.state_of(str(tmp_path / "none"))


@pytest.mark.parametrize("left", ["baseline.json", "2.jsonl"])
def test_a_session_that_has_lost_its_first_file_is_there(tmp_path: Path, left: str) -> None:
    (tmp_path / "a.txt").touch()
    assert not session_logs.is_there(tmp_path)
    (tmp_path / left).write_bytes(b"xyz")
    os.utime(tmp_path / left, (100, 100))
    assert session_logs.is_there(tmp_path)
    assert session_logs.state_of(str(tmp_path)) == (100.0, 0)


def test_a_file_that_does_not_begin_with_a_start_has_none(tmp_path: Path) -> None:
    path = tmp_path / "1.jsonl"
    assert session_logs.start_of(path) is None
    for data in (b"", b"x", b'{"kind":"user","text":"hi"}\n'):
        path.write_bytes(data)
        assert session_logs.start_of(path) is None
    path.write_bytes(b'{"kind":"session_start","baseline":"","schema":1,"epoch":1,"turns":4}\n')
    start = session_logs.start_of(path)
    assert isinstance(start, SessionStart)
    assert (start.epoch, start.turns) == (1, 4)


def test_the_lock_is_one_and_is_given_back(tmp_path: Path) -> None:
    SessionStore(tmp_path).open("k3f").close()
    folder = tmp_path / "k3f"
    with session_logs.locked(folder):
        with pytest.raises(SessionError, match="open elsewhere"), session_logs.locked(folder):
            pass
        with pytest.raises(SessionError, match="open elsewhere"):
            SessionStore(tmp_path).open("k3f")
    with session_logs.locked(folder), session_logs.locked(tmp_path / "none"):
        pass
