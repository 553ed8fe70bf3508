"""What an operator sees and does at the outbox: look, retry, drop; each survives a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.messages.outbox import Deliver
from tests.doubles.honcho_wire import HonchoWire
from tests.doubles.outbox_bench import OutboxBench, drop, retry, show, until

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
    assert retry(box).sentence == "1 turn is tried again now"
    until(lambda: show(box).waiting == 0)
    assert retry(box).sentence == "no turn waits or is parked"


def test_a_retry_says_how_much_it_tries(bench: OutboxBench) -> None:
    box = bench.start()
    box.tell(Deliver(rows=(bench.decided("k3f", POISON),)))
    until(lambda: show(box).parked == 1)
    bench.wire.fate = lambda _: "down"
    box.tell(Deliver(rows=(bench.decided("k3f", "x"),)))
    until(lambda: show(box).failing != "")
    assert retry(box, "k3f.2").sentence == "k3f.2 was not parked; it is tried again now, in its place"
    assert retry(box).sentence == "2 turns are tried again now, 1 of them parked before"
    assert retry(box, "k3f.1").ok


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
