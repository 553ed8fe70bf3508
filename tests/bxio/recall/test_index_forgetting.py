"""What is forgotten is in no file of the index, whatever journal SQLite has, and after a crash too."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from bxcore.finished_turns import FinishedTurn
from bxcore.labels import NEW_SESSION
from bxio.recall import RecallIndex, RecallIndexError
from bxio.recall import index as indexes
from bxio.recall import store as stores
from bxio.recall.words import Words


@pytest.fixture(params=["delete", "wal"])
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(stores, "journal_mode", lambda: request.param)
    return tmp_path / "recall.sqlite"


@pytest.fixture
def index(path: Path) -> Iterator[RecallIndex]:
    opened = RecallIndex.open(path)
    for session in ("a", "b", "c"):
        turns = [
            FinishedTurn(
                session=session,
                turn=number,
                at="2026-11-02T10:00:00+00:00",
                user=f"a brass key {number} of {session}",
                reply="noted",
                label=NEW_SESSION,
            )
            for number in (1, 2)
        ]
        opened.add_turns(session, turns, size=10, upto=2, log="l")
    yield opened
    opened.close()


def holding(path: Path, word: bytes) -> list[str]:
    files = (file for file in path.parent.rglob("*") if file.is_file())
    return sorted(file.name for file in files if word in file.read_bytes())


def said(index: RecallIndex) -> list[str]:
    return sorted(hit.said for hit in index.search("brass", k=9, without=""))


@pytest.mark.parametrize("in_words", [True, False])
def test_turns_of_several_sessions_go_at_once(path: Path, index: RecallIndex, *, in_words: bool) -> None:
    if in_words:
        index.settle(least=1)
    index.forget_each([("a", None, 0), ("b", (1,), 7)])
    assert said(index) == ["a brass key 1 of c", "a brass key 2 of b", "a brass key 2 of c"]
    assert (holding(path, b" of a"), holding(path, b"1 of b")) == ([], [])
    assert index.sizes() == {"b": 7, "c": 10}
    assert (index.turns_in("a", "l"), index.turns_in("b", "l")) == (0, 2)
    assert index.counts() == (3, 0)


def test_the_words_are_made_anew_once(index: RecallIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    index.settle(least=1)
    made: list[int] = []
    real = RecallIndex._make_words_anew

    def counted(self: RecallIndex) -> None:
        made.append(1)
        real(self)

    monkeypatch.setattr(RecallIndex, "_make_words_anew", counted)
    index.forget_each([("a", None, 0), ("b", None, 0)])
    assert said(index) == ["a brass key 1 of c", "a brass key 2 of c"]
    assert made == [1]


def test_words_that_a_crash_left_go_when_it_is_done_again(path: Path, index: RecallIndex) -> None:
    index.settle(least=1)
    index._store.remove("a")  # and there it was killed
    index.forget_each([("a", None, 0)], again=True)
    assert Words(path.with_suffix(".words")).frequency("brass") == 0
    assert said(index) == [f"a brass key {number} of {session}" for number in (1, 2) for session in "bc"]


def test_what_is_forgotten_is_on_disk_at_once_and_the_rest_is_as_quick_as_before(index: RecallIndex) -> None:
    seen: list[str] = []
    index._store.connection.set_trace_callback(seen.append)
    index.forget_each([("a", None, 0)])
    index._store.connection.set_trace_callback(None)
    assert seen[0] == "PRAGMA synchronous = FULL"
    assert seen.index("PRAGMA synchronous = OFF") > seen.index("COMMIT")
    assert index._store.connection.execute("PRAGMA synchronous").fetchone() == (0,)


def test_a_failure_in_it_leaves_all_as_it_was(index: RecallIndex) -> None:
    class Stop(Exception):  # noqa: N818
        pass

    def gone() -> Iterator[tuple[str, None, int]]:
        yield "a", None, 0
        raise Stop

    with pytest.raises(Stop):
        index.forget_each(gone())
    assert len(said(index)) == 6
    assert index._store.connection.execute("PRAGMA synchronous").fetchone() == (0,)


def test_a_folder_that_cannot_be_synced_is_a_sentence(
    index: RecallIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_folder: Path) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(indexes, "sync_folder", fails)
    with pytest.raises(RecallIndexError, match=r"forgot is not on disk yet: input/output error$"):
        index.forget("a", [1], size=1)
