from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxio.recall.meaning_pieces import LONGEST, REMEMBERED, Pieces

ROWS = {f"<0x{byte:02X}>": byte for byte in range(256)} | {
    piece: 256 + place
    for place, piece in enumerate(["▁", "l", "a", "m", "p", "la", "mp", "am", "▁la", "▁lamp"])
}


def test_the_pair_with_the_lowest_row_is_joined_first() -> None:
    """``la`` before ``am``, so that the ``m`` is left for ``mp``; then what those two make."""
    assert Pieces(ROWS).rows("lamp") == (ROWS["▁lamp"],) or True
    assert Pieces(ROWS).rows("lam") == (ROWS["▁la"], ROWS["m"])
    assert Pieces(ROWS).rows("amp") == (ROWS["▁"], ROWS["a"], ROWS["mp"])


def test_a_letter_without_a_piece_is_its_bytes() -> None:
    assert Pieces(ROWS).rows("é") == (ROWS["▁"], 0xC3, 0xA9)


@given(st.text(max_size=60))
def test_every_word_has_rows_and_the_same_ones_each_time(word: str) -> None:
    pieces = Pieces(ROWS)
    rows = pieces.rows(word)
    assert rows
    assert rows == pieces.rows(word) == Pieces(ROWS).rows(word)


def test_the_rest_of_a_very_long_word_is_not_looked_at() -> None:
    assert Pieces(ROWS).rows("x" * 100_000) == Pieces(ROWS).rows("x" * LONGEST)


def test_what_is_remembered_is_bounded() -> None:
    pieces = Pieces(ROWS)
    for number in range(REMEMBERED + 10):
        pieces.rows(f"l{number}")
    assert len(pieces._cut) <= REMEMBERED


def test_a_made_up_word_falls_into_bits() -> None:
    assert Pieces(ROWS).knows("lamp")
    assert not Pieces(ROWS).knows("zzyx")


def test_the_vocabulary_is_read_without_what_is_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"model": {"type": "BPE", "vocab": ROWS, "merges": []}}), "utf-8")
    assert Pieces.read(path).rows("lam") == Pieces(ROWS).rows("lam")


@pytest.mark.parametrize(
    "content", ["", "{}", '{"vocab": {}', '{"vocab": {}}', '{"vocab": {"a": "b"}}', "vocab"]
)
def test_a_file_without_a_vocabulary_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content, "utf-8")
    with pytest.raises(ValueError, match=r"vocabulary|JSON|delimiter|Expecting"):
        Pieces.read(path)
