from __future__ import annotations

from pathlib import Path

import pytest

from tests.doubles.memory_bench import MemoryBench, edit
from tests.kit.kit import Kit


def test_files_that_cannot_be_opened_are_a_failed_start_with_a_sentence(
    kit: Kit, memory_bench: MemoryBench, logged: list[str], tmp_path: Path
) -> None:
    (tmp_path / "ledger.jsonl").mkdir()
    with pytest.raises(Exception, match="memory"):
        kit.start("memory", memory_bench.make)
    assert any("ledger.jsonl cannot be opened" in line for line in logged)
    (tmp_path / "ledger.jsonl").rmdir()
    kit.runtime.forget(kit.runtime.mailbox("memory"))
    assert edit(kit.start("memory", memory_bench.make), "add", "notes", text="x").ok
