"""What an operator sees and does at the outbox: look, retry, drop; each survives a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxcore import erasing
from bxcore.erasing import EraseOrder
from bxcore.messages.outbox import Deliver, LookAgain
from bxio.forgotten import Forgotten
from tests.doubles.honcho_wire import HonchoWire
from tests.doubles.outbox_bench import AT, OutboxBench, drop, retry, show, until

POISON = "a <|endoftext|> token"


@pytest.fixture
def bench(outbox_bench: OutboxBench, tmp_path: Path) -> OutboxBench:
    outbox_bench.wire.honcho.close()
    poisoned = tmp_path / "poisoned"
    poisoned.mkdir()
    outbox_bench.wire = HonchoWire(poisoned, poison=True)
    return outbox_bench


def users(bench: OutboxBench, session: str = "k3f") -> list[str]:
    return [content for peer, content in bench.wire.said(session) if peer == "owner"]


def mended(bench: OutboxBench, folder: Path) -> None:
    """The same Honcho, without what it did not take."""
    bench.wire.honcho.close()
    bench.wire = HonchoWire(folder / "poisoned")


def test_a_row_says_which_turn_where_to_and_how_old(bench: OutboxBench) -> None:
    bench.wire.fate = lambda _: "down"
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "x"),)))
    until(lambda: show(box).failing != "")
    [row] = show(box).rows
    assert (row.id, row.session, row.turn, row.workspace, row.state) == (
        "k3f.1",
        "k3f",
        1,
        "trusted",
        "waiting",
    )
    assert row.why == "unreachable"
    assert row.age_s > 0
    assert show(box).oldest_s == pytest.approx(row.age_s, abs=60)


def test_no_more_rows_are_shown_than_were_asked_for(bench: OutboxBench) -> None:
    bench.wire.fate = lambda _: "down"
    box = bench.start()
    box.tell(Deliver(rows=tuple(bench.decided("k3f", "x") for _ in range(9))))
    shown = show(box, limit=4)
    assert (len(shown.rows), shown.waiting) == (4, 9)
    assert [row.turn for row in shown.rows] == [1, 2, 3, 4]


def test_a_parked_turn_stays_parked_over_a_restart_and_is_retried_when_told(
    bench: OutboxBench, tmp_path: Path
) -> None:
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", POISON), bench.decided("k3f", "fine"))))
    until(lambda: show(box).parked == 1)
    bench.stop()
    box = bench.start()
    assert [row.id for row in show(box).rows] == ["k3f.1"]
    bench.stop()
    mended(bench, tmp_path)
    box = bench.start()
    assert retry(box, "k3f.1").ok
    until(lambda: show(box).parked == 0 and show(box).waiting == 0)
    assert sorted(users(bench)) == sorted([POISON, "fine"])
    bench.stop()
    box = bench.start()
    assert show(box).rows == ()


def test_a_retry_of_all_tries_what_waits_at_once(bench: OutboxBench) -> None:
    bench.wire.fate = lambda _: "down"
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "x"),)))
    until(lambda: len(bench.wire.requests) > 2)
    bench.wire.fate = lambda _: "ok"
    assert retry(box).ok
    until(lambda: show(box).waiting == 0)


def test_a_turn_that_is_still_refused_is_parked_again(bench: OutboxBench) -> None:
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", POISON),)))
    until(lambda: show(box).parked == 1)
    assert retry(box).ok
    until(lambda: show(box).parked == 1 and show(box).waiting == 0)


def test_a_dropped_turn_never_arrives(bench: OutboxBench, tmp_path: Path) -> None:
    bench.wire.fate = lambda _: "down"
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", "one"), bench.decided("k3f", "two"))))
    told = drop(box, "k3f.1")
    assert (told.ok, told.known) == (True, True)
    bench.stop()
    bench.wire.fate = lambda _: "ok"
    box = bench.start()
    until(lambda: show(box).waiting == 0)
    assert users(bench) == ["two"]


def test_a_parked_turn_can_be_dropped(bench: OutboxBench) -> None:
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", POISON),)))
    until(lambda: show(box).parked == 1)
    assert drop(box, "k3f.1").ok
    assert show(box).rows == ()
    assert bench.facts[-1].ok


def test_an_unknown_id_changes_nothing_and_says_where_to_look(bench: OutboxBench) -> None:
    box = bench.start()
    for told in (retry(box, "k3f.9"), drop(box, "nonsense")):
        assert (told.ok, told.known) == (False, False)
        assert "bxctl memory outbox lists them" in told.sentence
    assert bench.done() == 0


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
