"""Forgetting: what looks the same on a screen goes too."""

from __future__ import annotations

from pathlib import Path

from actors.base import Mailbox
from tests.doubles.memory_bench import MemoryBench, edit, ended
from tests.doubles.memory_operator import forget, texts


def test_what_looks_the_same_goes_too(memory_bench: MemoryBench, memory_box: Mailbox, tmp_path: Path) -> None:
    memory_bench.turn("k3f", "we meet at the Jose\u0301 cafe\u0301", "at the Jos\u00e9 ca\u00adf\u00e9 then")
    memory_bench.turn("other", "mar\u200bma\u00adlade", "noted")
    ended(memory_box, "k3f", 1)
    ended(memory_box, "other", 1)
    edit(memory_box, "add", "notes", text="Jose\u0301 cafe\u0301 opens at ten")
    kept = tmp_path / "work" / "other"
    kept.mkdir(parents=True)
    (kept / "list.txt").write_text("JOS\u00c9 CAFE\u0301")
    found = forget(memory_box, text="jos\u00e9 caf\u00e9")
    assert (found.sessions, found.turns, found.entries) == (("k3f",), 1, 1)
    assert any(str(kept / "list.txt") in sentence for sentence in found.left)
    assert texts(memory_box, "notes") == []
    assert forget(memory_box, text="marmalade").sessions == ("other",)
    assert forget(memory_box, text="cafe").turns == 0
