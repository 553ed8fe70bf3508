from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from bxio.recall.meaning_table import _TALK, DIMENSIONS, TABLE, VOCABULARY, Table, TableError, package_folder


@pytest.fixture(scope="module")
def table() -> Table:
    return Table.read(folder())


def folder() -> Path:
    found = package_folder()
    assert found is not None, "install the extra semantic; ./bx test does"
    return found


def near(table: Table, one: str, other: str) -> float:
    first, second = table.vectors([one, other])
    return float(first @ second)


def test_texts_that_mean_the_same_are_nearer_than_others(table: Table) -> None:
    said = "The boiler went cold, so the landlord had its valve replaced."
    asked, other = "who repaired our heating?", "which animal cannot walk properly?"
    assert near(table, said, asked) > near(table, said, other) + 0.1


def test_a_vector_has_length_1(table: Table) -> None:
    vectors = table.vectors(["a lamp in the hall", "Zzyx 日本語 🙂", "x" * 5_000])
    assert vectors.shape == (3, DIMENSIONS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_text_without_a_word_means_nothing(table: Table) -> None:
    assert not table.vectors(["", "?! … §"]).any()
    assert table.vectors([]).shape == (0, DIMENSIONS)


def test_a_text_means_the_same_alone_and_among_many(table: Table) -> None:
    texts = [f"the {word} is in the attic" for word in ("lamp", "ladder", "clock")] * 60 + ["", "tent"]
    together = table.vectors(texts)
    for place in (0, 100, 180, 181):
        assert np.allclose(together[place], table.vectors([texts[place]])[0], atol=1e-6)


def test_what_all_talk_has_is_taken_away(table: Table) -> None:
    """Plain talk then points in no direction of its own; it would, by a quarter of its length."""
    mean = table.vectors(_TALK.split("|")).mean(axis=0)
    assert np.linalg.norm(mean) < 0.15


def test_made_up_words_are_not_known(table: Table) -> None:
    assert table.knows(["ladder"])
    assert table.knows(["zzyx", "thermostat"])
    assert not table.knows(["zzyx", "wug", "florp"])
    assert not table.knows([])


def test_no_line_of_the_package_runs(table: Table) -> None:
    assert table.vectors(["a lamp"]).any()
    assert "wordllama" not in sys.modules


def copied(path: Path) -> Path:
    for name in (TABLE, VOCABULARY):
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder() / name, target)
    return path


@pytest.mark.parametrize("name", [TABLE, VOCABULARY])
def test_a_lost_file_is_said(tmp_path: Path, name: str) -> None:
    (copied(tmp_path) / name).unlink()
    with pytest.raises(TableError, match="cannot be used: No such file"):
        Table.read(tmp_path)


def safetensors(header: object, content: bytes = b"\0" * 512) -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 100,
        safetensors([]),
        safetensors({"other": {}}),
        safetensors({"embedding.weight": {"dtype": "F32", "shape": [1, 256], "data_offsets": [0, 1024]}}),
        safetensors({"embedding.weight": {"dtype": "F16", "shape": [4, 64], "data_offsets": [0, 512]}}),
        safetensors({"embedding.weight": {"dtype": "F16", "shape": [32000, 256], "data_offsets": [0, 512]}}),
        safetensors({"embedding.weight": {"dtype": "F16", "shape": [1, 256], "data_offsets": [0, 512]}}),
    ],
)
def test_a_table_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    (copied(tmp_path) / TABLE).write_bytes(content)
    with pytest.raises(TableError, match="cannot be used"):
        Table.read(tmp_path)
