from __future__ import annotations

import gc
from pathlib import Path

from actors import memory_turns
from actors.base import Mailbox
from bxcore.decide import Send, Skip, Workspace
from bxcore.messages.outbox import Deliver, LookAgain
from bxcore.records import Assistant, Usage, User
from bxcore.supervision import ChildSpec, SupervisorSpec
from bxio import turn_ledger
from tests.doubles.memory_bench import TAINTING, MemoryBench, delivered, edit, ended, recall, restarted
from tests.doubles.memory_operator import forget
from tests.kit.kit import Kit
from tests.kit.probe import Probe


def test_each_ended_turn_is_decided_once_and_told_to_the_outbox(
    memory_bench: MemoryBench, memory_box: Mailbox, memory_outbox: Probe
) -> None:
    memory_bench.turn("k3f", "one", speaker="j.doe")
    ended(memory_box, "k3f", 1)
    assert delivered(memory_outbox) == [("k3f", 1, Send(Workspace.TRUSTED, "j_doe"))]
    memory_bench.turn("k3f", "two", speaker=None)
    memory_bench.log("k3f", User(text="three", speaker="owner"), TAINTING, Assistant(content="x"), Usage())
    ended(memory_box, "k3f", 3)
    assert delivered(memory_outbox) == [
        ("k3f", 2, Skip("the turn has no single speaker")),
        ("k3f", 3, Send(Workspace.UNTRUSTED, "owner")),
    ]
    ended(memory_box, "k3f", 3)
    memory_outbox.expect_none()


def test_an_earlier_turn_is_decided_on_the_label_that_it_ended_with(
    memory_bench: MemoryBench, memory_box: Mailbox, memory_outbox: Probe
) -> None:
    memory_bench.turn("k3f", "clean")
    memory_bench.log("k3f", User(text="b", speaker="owner"), TAINTING, Assistant(content="x"), Usage())
    ended(memory_box, "k3f", 2)
    assert [action for _, _, action in delivered(memory_outbox)] == [
        Send(Workspace.TRUSTED, "owner"), Send(Workspace.UNTRUSTED, "owner"),
    ]  # fmt: skip


def test_a_turn_whose_end_was_never_told_is_taken_in_at_the_next_start(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe
) -> None:
    memory_bench.turn("k3f", "marmalade")
    memory_box = kit.start("memory", memory_bench.make)
    kit.settle()
    assert delivered(memory_outbox) == [("k3f", 1, Send(Workspace.TRUSTED, "owner"))]
    assert "said: marmalade" in recall(memory_box, "marmalade").content
    restarted(kit, memory_bench)
    kit.settle()
    memory_outbox.expect(LookAgain)
    memory_outbox.expect_none()


def test_a_turn_that_still_runs_is_not_decided_by_a_restart(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe
) -> None:
    memory_bench.turn("k3f", "one")
    memory_bench.log("k3f", User(text="two", speaker="owner"))
    memory_box = kit.start("memory", memory_bench.make)
    kit.settle()
    assert [turn for _, turn, _ in delivered(memory_outbox)] == [1]
    memory_bench.log("k3f", Assistant(content="at last"), Usage())
    ended(memory_box, "k3f", 2)
    assert delivered(memory_outbox) == [("k3f", 2, Send(Workspace.TRUSTED, "owner"))]


def test_a_decision_is_on_disk_before_the_outbox_hears_of_it(
    memory_bench: MemoryBench, memory_box: Mailbox, memory_outbox: Probe
) -> None:
    memory_bench.turn("k3f", "one")
    ended(memory_box, "k3f", 1)
    rows = memory_outbox.expect(Deliver).rows
    assert turn_ledger.to_send(memory_bench.places.ledger) == rows
    memory_outbox.expect_none(within_s=memory_turns.OUTBOX_AGAIN_S * 2)


def test_after_a_crash_the_outbox_is_told_to_look_at_what_the_one_before_may_have_decided(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe
) -> None:
    kit.tree(SupervisorSpec(children=(ChildSpec(name="memory", start=memory_bench.make),)))
    memory_outbox.expect_none()
    kit.crash("memory")
    kit.expect_restart("memory")
    memory_outbox.expect(LookAgain)
    assert edit(kit.runtime.mailbox("memory"), "add", "notes", text="the files are open again").ok


def test_an_outbox_without_room_is_told_later_to_look(
    kit: Kit, memory_bench: MemoryBench, memory_outbox: Probe
) -> None:
    memory_outbox.box.bound = 1
    memory_box = kit.start("memory", memory_bench.make)
    for number in (1, 2):
        memory_bench.turn("k3f", f"turn {number}")
        ended(memory_box, "k3f", number)
        kit.settle()
    kit.expect_dead_letter("outbox", "busy")
    memory_outbox.expect(Deliver)
    kit.advance(memory_turns.OUTBOX_AGAIN_S + 0.1)
    memory_outbox.expect(LookAgain)


def test_with_save_off_nothing_is_sent(kit: Kit, tmp_path: Path, memory_outbox: Probe) -> None:
    memory_bench = MemoryBench(
        folder=tmp_path, asks=kit.probe("asks").box, outbox=memory_outbox.box, save=False
    )
    memory_box = kit.start("memory", memory_bench.make)
    memory_bench.turn("k3f", "one")
    ended(memory_box, "k3f", 1)
    assert delivered(memory_outbox) == [("k3f", 1, Skip("the configuration saves nothing"))]


def test_news_of_a_session_that_is_not_there_changes_nothing(
    memory_box: Mailbox, memory_outbox: Probe, logged: list[str]
) -> None:
    ended(memory_box, "gone", 1)
    ended(memory_box, "../x", 1)
    assert "nothing found" in recall(memory_box, "x").content
    memory_outbox.expect_none()
    assert sum("is not taken in" in line for line in logged) == 2


def test_a_text_that_was_forgotten_is_held_by_no_record_in_memory(
    memory_bench: MemoryBench, memory_box: Mailbox
) -> None:
    memory_bench.turn("k3f", "marmalade with quinces")
    ended(memory_box, "k3f", 1)
    assert "quinces" in recall(memory_box, "marmalade").content
    held = [each for each in gc.get_objects() if isinstance(each, User) and "quinces" in each.text]
    assert held
    del held
    assert forget(memory_box, text="quinces").done
    assert [each for each in gc.get_objects() if isinstance(each, User) and "quinces" in each.text] == []
