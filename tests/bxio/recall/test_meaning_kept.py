from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bxcore.labels import NEW_SESSION
from bxio.recall import RecallIndexError, meaning, meaning_kept, meaning_table
from bxio.recall.meaning import Among
from bxio.recall.meaning_kept import MeaningKept
from bxio.recall.store import Store
from tests.house.source import ROOT


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened, _ = Store.open(tmp_path / "recall.sqlite")
    yield opened
    opened.close()


def add(store: Store, count: int, session: str = "a") -> list[int]:
    first = store.newest() + 1
    rows = [
        (turn, "", NEW_SESSION, f"the {turn}th lamp in the hall flickers", "")
        for turn in range(first, first + count)
    ]
    with store.writing():
        return store.add(session, rows)


def meant(store: Store) -> int:
    return int(store.connection.execute("SELECT count(*) FROM meanings").fetchone()[0])


def test_it_is_made_when_something_is_looked_for(store: Store) -> None:
    add(store, 3)
    kept = MeaningKept(store, wanted=True)
    assert meaning.Meaning.taken_in(store.connection) == 0
    found = kept.ready()
    assert found is not None
    assert meant(store) == 3
    add(store, 1)
    assert kept.ready() is found
    assert meant(store) == 4


def test_a_search_takes_in_no_more_than_it_has_time_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meaning_kept, "AT_A_SEARCH", 5)
    add(store, 12)
    kept = MeaningKept(store, wanted=True)
    counts = []
    for _ in range(4):
        kept.ready()
        counts.append(meant(store))
    assert counts == [5, 10, 12, 12]


def test_settling_waits_for_enough_and_goes_on_while_there_is_more(store: Store) -> None:
    kept = MeaningKept(store, wanted=True)
    add(store, 9)
    assert not kept.settle(10, 100)
    assert meaning.Meaning.taken_in(store.connection) == 0
    add(store, 16)
    assert kept.settle(10, 10)
    assert meant(store) == 10
    assert not kept.settle(10, 10)
    assert meant(store) == 20


def test_switched_off_it_makes_nothing(store: Store) -> None:
    add(store, 20)
    kept = MeaningKept(store, wanted=False)
    assert kept.ready() is None
    assert not kept.settle(1, 100)
    kept.drop([1])
    assert kept.problem is None
    assert meaning.Meaning.taken_in(store.connection) == 0


def test_without_its_libraries_it_is_off(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "find_spec", lambda name: None if name == "wordllama" else object())
    assert not meaning.installed()
    kept = MeaningKept(store, wanted=True)
    assert kept.ready() is None
    assert not kept.settle(1, 100)


def test_a_table_that_cannot_be_read_is_said_once_and_switches_it_off(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(meaning_table, "package_folder", lambda: tmp_path / "torn")
    add(store, 20)
    kept = MeaningKept(store, wanted=True)
    assert not kept.settle(1, 100)
    assert kept.problem == "the table of meanings in torn cannot be used: No such file or directory"
    assert kept.ready() is None


def test_after_a_failed_write_it_goes_on_from_what_is_in_the_file(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = MeaningKept(store, wanted=True)
    add(store, 2)
    assert kept.ready() is not None
    places = add(store, 2)

    real = meaning.Meaning.add

    def full(self: meaning.Meaning, docs: list[tuple[int, str, str]]) -> None:
        real(self, docs)
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(meaning.Meaning, "add", full)
        with pytest.raises(RecallIndexError, match="disk is full"):
            kept.ready()
    found = kept.ready()
    assert found is not None
    assert meant(store) == 4
    assert places[-1] in [place for place, _ in found.nearest("a lamp flickers", 10, Among())]


def test_the_box_s_modules_import_neither_numpy_nor_the_table() -> None:
    """So an idle box has the memory that it had without the extra."""
    script = "import sys, supervisor, bxio.recall; print(sorted({'numpy', 'wordllama'} & set(sys.modules)))"
    command = [sys.executable, "-c", script]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=True)
    assert ran.stdout == "[]\n"
