from __future__ import annotations

from pathlib import Path

import pytest

from actors import memory_turns
from actors.base import Mailbox
from bxcore.decide import Send, Skip, Workspace
from bxcore.labels import Label, Level
from bxcore.messages.outbox import Deliver, LookAgain
from bxcore.records import Assistant, ToolResult, Usage, User
from bxcore.supervision import ChildSpec, SupervisorSpec
from bxio import turn_ledger
from tests.doubles.memory_bench import MemoryBench, edit, ended, recall
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


def test_each_ended_turn_is_decided_once_and_told_to_the_outbox(
    bench: MemoryBench, box: Mailbox, outbox: Probe
) -> None:
    bench.turn("k3f", "one", speaker="j.doe")
    ended(box, "k3f", 1)
    assert delivered(outbox) == [("k3f", 1, Send(Workspace.TRUSTED, "j_doe"))]
    bench.turn("k3f", "two", speaker=None)
    bench.log("k3f", User(text="three", speaker="owner"), TAINTING, Assistant(content="x"), Usage())
    ended(box, "k3f", 3)
    assert delivered(outbox) == [
        ("k3f", 2, Skip("the turn has no single speaker")),
        ("k3f", 3, Send(Workspace.UNTRUSTED, "owner")),
    ]
    ended(box, "k3f", 3)
    outbox.expect_none()


def test_an_earlier_turn_is_decided_on_the_label_that_it_ended_with(
    bench: MemoryBench, box: Mailbox, outbox: Probe
) -> None:
    bench.turn("k3f", "clean")
    bench.log("k3f", User(text="b", speaker="owner"), TAINTING, Assistant(content="x"), Usage())
    ended(box, "k3f", 2)
    assert [action for _, _, action in delivered(outbox)] == [
        Send(Workspace.TRUSTED, "owner"), Send(Workspace.UNTRUSTED, "owner"),
    ]  # fmt: skip


def test_a_turn_whose_end_was_never_told_is_taken_in_at_the_next_start(
    kit: Kit, bench: MemoryBench, outbox: Probe
) -> None:
    bench.turn("k3f", "marmalade")
    box = kit.start("memory", bench.make)
    kit.settle()
    assert delivered(outbox) == [("k3f", 1, Send(Workspace.TRUSTED, "owner"))]
    assert "said: marmalade" in recall(box, "marmalade").content
    restarted(kit, bench)
    kit.settle()
    outbox.expect(LookAgain)
    outbox.expect_none()


def test_a_turn_that_still_runs_is_not_decided_by_a_restart(
    kit: Kit, bench: MemoryBench, outbox: Probe
) -> None:
    bench.turn("k3f", "one")
    bench.log("k3f", User(text="two", speaker="owner"))
    box = kit.start("memory", bench.make)
    kit.settle()
    assert [turn for _, turn, _ in delivered(outbox)] == [1]
    bench.log("k3f", Assistant(content="at last"), Usage())
    ended(box, "k3f", 2)
    assert delivered(outbox) == [("k3f", 2, Send(Workspace.TRUSTED, "owner"))]


def test_a_decision_is_on_disk_before_the_outbox_hears_of_it(
    bench: MemoryBench, box: Mailbox, outbox: Probe
) -> None:
    bench.turn("k3f", "one")
    ended(box, "k3f", 1)
    rows = outbox.expect(Deliver).rows
    assert turn_ledger.to_send(bench.places.ledger) == rows
    outbox.expect_none(within_s=memory_turns.OUTBOX_AGAIN_S * 2)


def test_after_a_crash_the_outbox_is_told_to_look_at_what_the_one_before_may_have_decided(
    kit: Kit, bench: MemoryBench, outbox: Probe
) -> None:
    kit.tree(SupervisorSpec(children=(ChildSpec(name="memory", start=bench.make),)))
    outbox.expect_none()
    kit.crash("memory")
    kit.expect_restart("memory")
    outbox.expect(LookAgain)
    assert edit(kit.runtime.mailbox("memory"), "add", "notes", text="the files are open again").ok


def test_an_outbox_without_room_is_told_later_to_look(kit: Kit, bench: MemoryBench, outbox: Probe) -> None:
    outbox.box.bound = 1
    box = kit.start("memory", bench.make)
    for number in (1, 2):
        bench.turn("k3f", f"turn {number}")
        ended(box, "k3f", number)
        kit.settle()
    kit.expect_dead_letter("outbox", "busy")
    outbox.expect(Deliver)
    kit.advance(memory_turns.OUTBOX_AGAIN_S + 0.1)
    outbox.expect(LookAgain)


def test_with_save_off_nothing_is_sent(kit: Kit, tmp_path: Path, outbox: Probe) -> None:
    bench = MemoryBench(folder=tmp_path, asks=kit.probe("asks").box, outbox=outbox.box, save=False)
    box = kit.start("memory", bench.make)
    bench.turn("k3f", "one")
    ended(box, "k3f", 1)
    assert delivered(outbox) == [("k3f", 1, Skip("the configuration saves nothing"))]


def test_news_of_a_session_that_is_not_there_changes_nothing(
    box: Mailbox, outbox: Probe, logged: list[str]
) -> None:
    ended(box, "gone", 1)
    ended(box, "../x", 1)
    assert "nothing found" in recall(box, "x").content
    outbox.expect_none()
    assert sum("is not taken in" in line for line in logged) == 2
