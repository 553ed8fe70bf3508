from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from actors.memory_parts import failed
from bxcore.labels import NEW_SESSION
from bxcore.tool_answer import ToolAnswer
from tests.doubles.memory_bench import MemoryBench


def test_a_failed_call_is_answered_in_the_boxs_own_words() -> None:
    assert failed("no") == ToolAnswer(ok=False, content="no", label=NEW_SESSION)


def test_the_record_of_what_was_forgotten_lies_beside_the_ledger(
    memory_bench: MemoryBench, tmp_path: Path
) -> None:
    places = memory_bench.places
    assert places.record == tmp_path / "forgotten.jsonl"
    assert replace(places, forgotten=tmp_path / "x").record == tmp_path / "x"


@pytest.mark.parametrize("left", ["ledger.jsonl", "forgotten.jsonl", "sessions"])
def test_any_one_trace_of_a_box_says_that_it_has_lived(
    memory_bench: MemoryBench, tmp_path: Path, left: str
) -> None:
    assert not memory_bench.places.lived
    if left == "sessions":
        memory_bench.turn("k3f", "hello")
    else:
        (tmp_path / left).touch()
    assert memory_bench.places.lived
