"""The search index itself: what of it is looked for, and that a damaged one says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bxio.recall.errors import RecallIndexError
from bxio.recall.store import Doc
from bxio.recall.words import Words, analyzer, drop_words


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "recall.words"


def filled(folder: Path) -> Words:
    words = Words(folder)
    texts = ["the spare keys", "a café in Mill Road", "keys and more keys"]
    words.add(Doc(place, f"s{place}", text, "noted", place == 3) for place, text in enumerate(texts, 1))
    return words


def places(words: Words, *wanted: str, without: str = "", trusted_only: bool = False) -> list[int]:
    return [place for place, _ in words.best(wanted, 10, without=without, trusted_only=trusted_only)]


def test_words_are_parted_stemmed_and_without_marks() -> None:
    analyze = analyzer()
    assert analyze("Running KEYS, a Café's e-mail_address 北京") == [
        "run",
        "key",
        "a",
        "cafe",
        "s",
        "e",
        "mail",
        "address",
        "北京",
    ]
    assert analyze("x" * 41) == []


def test_the_best_come_first_with_their_scores(folder: Path) -> None:
    words = filled(folder)
    assert places(words, "key") == [3, 1]
    scores = [score for _, score in words.best(["key"], 10, without="", trusted_only=False)]
    assert scores == sorted(scores, reverse=True)
    assert (words.number, words.frequency("key"), words.frequency("saffron")) == (3, 2, 0)


def test_a_session_and_what_would_taint_are_left_out_before_the_limit(folder: Path) -> None:
    words = filled(folder)
    assert places(words, "key", without="s3") == [1]
    assert places(words, "key", trusted_only=True) == [1]
    assert words.best(["key"], 1, without="s3", trusted_only=False)[0][0] == 1


def test_what_was_put_in_is_there_over_a_restart_and_more_can_be(folder: Path) -> None:
    filled(folder)
    again = Words(folder)
    again.add([Doc(9, "s9", "a brass key", "yes", 0)])
    assert set(places(again, "key")) == {1, 3, 9}


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "meta.json").write_text("{}"),
        lambda folder: (folder / "meta.json").write_bytes(b""),
        lambda folder: [file.write_bytes(b"x") for file in folder.iterdir()],
    ],
)
def test_a_damaged_one_is_one_clear_error(folder: Path, harm: Callable[[Path], object]) -> None:
    filled(folder)
    harm(folder)
    with pytest.raises(RecallIndexError, match="cannot be used") as failed:
        Words(folder)
    assert failed.value.damaged


def test_a_folder_that_is_gone_is_one_clear_error(folder: Path) -> None:
    words = filled(folder)
    drop_words(folder)
    assert not folder.exists()
    drop_words(folder)
    with pytest.raises(RecallIndexError, match="cannot be written"):
        words.add([Doc(9, "s9", "a brass key", "yes", 0)])
