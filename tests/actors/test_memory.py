from __future__ import annotations

from pathlib import Path

import pytest

from actors.base import Mailbox
from bxcore.labels import Label, Level
from bxcore.messages.outbox import Deliver
from bxcore.records import ToolResult
from tests.doubles.memory_bench import MemoryBench, edit
from tests.kit.kit import Kit
from tests.kit.probe import Probe

UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
SECRET = Label(Level.SECRET, untrusted=False)
TOKEN = "ghp_" + "a1B2" * 9
TAINTING = ToolResult(
    call="c", tool="ask_memory", content="marmalade hearsay", ok=True, level=Level.PRIVATE, untrusted=True
)


@pytest.fixture
def outbox(memory_outbox: Probe) -> Probe:
    return memory_outbox


@pytest.fixture
def bench(memory_bench: MemoryBench) -> MemoryBench:
    return memory_bench


@pytest.fixture
def box(memory_box: Mailbox) -> Mailbox:
    return memory_box


def restarted(kit: Kit, bench: MemoryBench) -> Mailbox:
    kit.runtime.stop("memory")
    return kit.start("memory", bench.make)


def delivered(outbox: Probe) -> list[tuple[str, int, object]]:
    return [(row.session, row.turn, row.action) for row in outbox.expect(Deliver).rows]


def test_files_that_cannot_be_opened_are_a_failed_start_with_a_sentence(
    kit: Kit, bench: MemoryBench, logged: list[str], tmp_path: Path
) -> None:
    (tmp_path / "ledger.jsonl").mkdir()
    with pytest.raises(Exception, match="memory"):
        kit.start("memory", bench.make)
    assert any("ledger.jsonl cannot be opened" in line for line in logged)
    (tmp_path / "ledger.jsonl").rmdir()
    kit.runtime.forget(kit.runtime.mailbox("memory"))
    assert edit(kit.start("memory", bench.make), "add", "notes", text="x").ok
