"""Fixtures of the actors' tests: a loop on its bench, and what was logged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from loguru import logger

from actors.base import Mailbox, Runtime
from bxio.turn_ledger import TurnLedger
from tests.doubles.honcho_wire import HonchoWire
from tests.doubles.loop_bench import LoopBench
from tests.doubles.memory_bench import MemoryBench
from tests.doubles.model_server import ModelServer, Step
from tests.doubles.outbox_bench import OutboxBench
from tests.kit.kit import Kit
from tests.kit.probe import Probe


@pytest.fixture
def bench(
    runtime: Runtime, probe: Callable[[str], Probe], tmp_path: Path
) -> Iterator[Callable[..., LoopBench]]:
    """Make a bench whose model follows a script; ``changes`` are other parts of its sessions."""
    servers: list[ModelServer] = []

    def make(*steps: Step, broker: bool = True, **fields: Any) -> LoopBench:
        server = ModelServer(steps).start()
        servers.append(server)
        made = LoopBench(runtime=runtime, folder=tmp_path, probe=probe, server=server, **fields)
        return made.start(broker=broker)

    yield make
    for server in servers:
        server.close()


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """Each line that was logged, as its text alone."""
    lines: list[str] = []
    sink = logger.add(lambda text: lines.append(text.rstrip("\n")), format="{message}")
    yield lines
    logger.remove(sink)


@pytest.fixture
def outbox_bench(runtime: Runtime, tmp_path: Path) -> Iterator[OutboxBench]:
    """Make an outbox's bench; the test starts the outbox."""
    made = OutboxBench(runtime, tmp_path, HonchoWire(tmp_path), TurnLedger.open(tmp_path / "ledger.jsonl"))
    yield made
    if runtime.life("outbox") is not None:
        made.stop()
    made.ledger.close()
    made.wire.honcho.close()


@pytest.fixture
def memory_outbox(kit: Kit) -> Probe:
    """Whom the memory takes for the outbox."""
    return kit.probe("outbox")


@pytest.fixture
def memory_bench(kit: Kit, tmp_path: Path, memory_outbox: Probe) -> MemoryBench:
    """Where the memory is made."""
    return MemoryBench(folder=tmp_path, asks=kit.probe("asks").box, outbox=memory_outbox.box)


@pytest.fixture
def memory_box(kit: Kit, memory_bench: MemoryBench) -> Mailbox:
    """Start a real memory."""
    return kit.start("memory", memory_bench.make)
