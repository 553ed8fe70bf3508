"""What was forgotten leaves Honcho, once, whatever stands in the way; the rest is sent again in its order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bxcore import erasing
from bxcore.erasing import EraseOrder
from bxcore.messages.outbox import Deliver, LookAgain
from bxio.forgotten import Forgotten
from tests.doubles.outbox_bench import AT, UNTRUSTED, OutboxBench, show, until
from tests.doubles.troubled_honcho import TroubledHoncho


@pytest.fixture
def bench(outbox_bench: OutboxBench) -> OutboxBench:
    return outbox_bench


@pytest.fixture
def honcho(tmp_path: Path) -> Iterator[TroubledHoncho]:
    made = TroubledHoncho(tmp_path / "server").open()
    yield made
    made.end()


def users(bench: OutboxBench, session: str = "k3f") -> list[str]:
    return [content for peer, content in bench.wire.said(session) if peer == "owner"]


def order(number: int, turns: tuple[int, ...] | None, log: str = "") -> EraseOrder:
    return EraseOrder(id=f"e{number}", at=AT, session="k3f", log=log, turns=turns)


def given(bench: OutboxBench, *orders: EraseOrder) -> None:
    """Write orders as the memory does."""
    journal = Forgotten.open(bench.folder / "forgotten.jsonl")
    journal.append(orders)
    journal.close()


def test_a_forgotten_turn_is_erased_and_the_others_are_sent_again_in_order(bench: OutboxBench) -> None:
    box = bench.start()
    box.tell(Deliver(rows=tuple(bench.decided("k3f", f"turn {number}") for number in range(1, 6))))
    until(lambda: show(box).waiting == 0)
    given(bench, order(1, (2, 4)))
    box.tell(LookAgain())
    until(lambda: len(users(bench, "k3f--1")) == 3 and show(box).waiting == 0)
    assert users(bench) == []
    assert users(bench, "k3f--1") == ["turn 1", "turn 3", "turn 5"]
    box.tell(Deliver(rows=(bench.decided("k3f", "turn 6"),)))
    until(lambda: len(users(bench, "k3f--1")) == 4)


def test_a_forgotten_session_is_gone_and_nothing_of_it_is_sent(bench: OutboxBench) -> None:
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "x"), bench.decided("other", "y"))))
    until(lambda: show(box).waiting == 0)
    given(bench, order(1, None))
    box.tell(LookAgain())
    until(lambda: users(bench) == [])
    until(lambda: bench.done() == 3)
    assert users(bench, "k3f--1") == []
    assert users(bench, "other") == ["y"]


def test_an_order_waits_through_an_outage_and_a_restart(bench: OutboxBench) -> None:
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "x"), bench.decided("k3f", "y"))))
    until(lambda: show(box).waiting == 0)
    bench.wire.fate = lambda _: "down"
    given(bench, order(1, (1,)))
    box.tell(LookAgain())
    until(lambda: show(box).failing != "")
    bench.stop()
    bench.start()
    assert users(bench) == ["x", "y"]
    bench.wire.fate = lambda _: "ok"
    until(lambda: users(bench, "k3f--1") == ["y"])
    assert users(bench) == []
    bench.stop()
    asked = len(bench.wire.requests)
    box = bench.start()
    assert show(box).waiting == 0
    assert len(bench.wire.requests) == asked, "an order is carried out once"


def test_a_forgotten_turn_that_still_waited_is_never_sent(bench: OutboxBench) -> None:
    bench.wire.fate = lambda _: "down"
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "x"), bench.decided("k3f", "y"))))
    given(bench, order(1, (1,)))
    box.tell(LookAgain())
    assert [row.turn for row in show(box).rows] == [2]
    bench.wire.fate = lambda _: "ok"
    until(lambda: users(bench, "k3f--1") == ["y"])
    assert users(bench) == []


def test_the_journal_holds_orders_and_no_text(bench: OutboxBench) -> None:
    bench.decided("k3f", "the hidden words")
    given(bench, order(1, (1,)))
    written = (bench.folder / "forgotten.jsonl").read_text()
    assert erasing.dump(order(1, (1,))) in written
    assert "hidden" not in written


def test_it_leaves_both_workspaces_and_orders_follow_each_other_through_trouble(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    bench.client = honcho.client
    box = bench.start()
    rows = [bench.decided("k3f", "turn 1"), bench.decided("k3f", "turn 2")]
    rows += [bench.decided("k3f", f"turn {number}", action=UNTRUSTED) for number in (3, 4)]
    box.tell(Deliver(rows=tuple(rows)))
    until(lambda: show(box).waiting == 0)
    fates = iter(["503", "reset", "stored, reset", "500", "ok", "401", "ok", "503"])
    honcho.fate = lambda _method, _path: next(fates, "ok")
    given(bench, order(1, (1,)))
    box.tell(LookAgain())
    given(bench, order(2, (3,)))
    box.tell(LookAgain())
    until(lambda: honcho.said("k3f--2", "boxmaker-untrusted") == ["turn 4"], 30)
    until(lambda: show(box).waiting == 0)
    for name in ("k3f", "k3f--1"):
        assert [honcho.said(name), honcho.said(name, "boxmaker-untrusted")] == [[], []]
    assert honcho.said("k3f--2") == ["turn 2"]
    assert show(box).parked == 0


def test_an_append_that_comes_late_is_not_there_after_the_session_was_erased(
    bench: OutboxBench, honcho: TroubledHoncho
) -> None:
    bench.client, bench.request_s, bench.settle_s = honcho.client, 0.2, 0.6
    fates = iter(["late 0.5"])
    honcho.fate = lambda _method, path: next(fates, "ok") if path.endswith("/messages") else "ok"
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "the hidden words"),)))
    until(lambda: show(box).failing != "", 30)
    given(bench, order(1, None))
    box.tell(LookAgain())
    until(lambda: any(path.startswith("DELETE") for path in honcho.requests), 30)
    until(lambda: honcho.said("k3f") == [] and show(box).waiting == 0, 30)
    assert honcho.count("/messages") == 1
    assert honcho.said("k3f") == []


def test_each_order_takes_away_what_the_one_before_had_sent_again(bench: OutboxBench) -> None:
    box = bench.start()
    box.tell(Deliver(rows=tuple(bench.decided("k3f", f"turn {number}") for number in (1, 2, 3))))
    until(lambda: show(box).waiting == 0)
    for number, left in ((1, ["turn 2", "turn 3"]), (2, ["turn 3"]), (3, [])):
        given(bench, order(number, (number,)))
        box.tell(LookAgain())
        until(lambda: show(box).waiting == 0 and users(bench, f"k3f--{number - 1}") == [])  # noqa: B023
        until(lambda: users(bench, f"k3f--{number}") == left)  # noqa: B023
        assert users(bench) == []
