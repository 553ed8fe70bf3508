"""What waits, read from a real ledger: each turn once, in its order, and never one that was forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors import outbox_waiting
from actors.outbox_waiting import Queue
from bxcore.decide import Send, Skip, Workspace
from bxcore.delivery_marks import Fate, Key, Mark, Marks
from bxcore.erasing import EraseOrder
from bxcore.turn_decisions import Decided
from bxio import ledger_reader
from bxio.forgotten import Forgotten
from bxio.turn_ledger import TurnLedger

SEND = Send(Workspace.TRUSTED, "owner")
KEYS = [("a", "l", 1), ("a", "l", 2), ("a", "l", 3), ("b", "l", 1)]


def row(session: str, turn: int, log: str = "l") -> Decided:
    return Decided(session=session, turn=turn, size=1, action=SEND, log=log)


@pytest.fixture
def queue(tmp_path: Path) -> Queue:
    ledger = TurnLedger.open(tmp_path / "ledger.jsonl")
    ledger.append([row("a", 1), row("b", 1), row("a", 2), row("a", 3)])
    ledger.append([Decided(session="a", turn=4, size=1, action=Skip("the turn has no reply"))])
    ledger.close()
    return Queue(tmp_path / "ledger.jsonl", tmp_path / "forgotten.jsonl")


def shown(queue: Queue) -> dict[str, list[int]]:
    return {session: [waiting.row.turn for waiting in line.rows] for session, line in queue.lines.items()}


def added(queue: Queue, *rows: Decided) -> None:
    """Write rows as the memory does."""
    ledger = TurnLedger.open(queue._ledger)
    ledger.append(rows)
    ledger.close()


def test_the_ledger_is_read_in_its_order_and_skips_are_left_out(queue: Queue) -> None:
    queue.start(Marks())
    assert shown(queue) == {"a": [1, 2, 3], "b": [1]}
    assert (queue.waiting, queue.held, queue.more_in_ledger) == (4, 4, False)
    assert all(line.unsure for line in queue.lines.values())


def test_what_is_new_is_read_once_and_is_surely_not_sent(queue: Queue) -> None:
    queue.start(Marks())
    added(queue, row("a", 5), row("c", 1))
    queue.hear(Marks())
    queue.hear(Marks())
    assert (shown(queue), queue.waiting) == ({"a": [1, 2, 3, 5], "b": [1], "c": [1]}, 6)
    assert not queue.lines["c"].unsure


def test_what_is_delivered_is_not_held(queue: Queue) -> None:
    marks = Marks.of([Mark(key=Key("a", "l", 2), fate=Fate.DELIVERED)])
    queue.start(marks)
    assert shown(queue) == {"a": [1, 3], "b": [1]}


def test_a_turn_that_another_life_sent_out_of_order_is_looked_up_by_itself(queue: Queue) -> None:
    queue.start(Marks.of([Mark(key=Key("a", "l", 2), fate=Fate.SENDING)]))
    assert queue.lines["a"].apart == {Key("a", "l", 2)}


def test_beyond_its_bound_it_counts_and_the_ledger_holds(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_waiting, "HELD", 2)
    queue.start(Marks())
    assert (queue.held, queue.waiting, queue.more_in_ledger) == (2, 4, True)
    added(queue, row("b", 2))
    queue.hear(Marks())
    assert (queue.held, queue.waiting) == (2, 5), "it would pass those that the ledger holds"
    marks, order = Marks(), []
    while queue.waiting:
        line = next(iter(queue.lines.values()))
        gone = line.rows[:1]
        order += [(each.key.session, each.key.turn) for each in gone]
        line.sent(gone)
        queue.gone(gone)
        for each in gone:
            marks.take(Mark(key=each.key, fate=Fate.DELIVERED))
        if queue.wants_more:
            queue.refill(marks)
    assert sorted(order) == [("a", 1), ("a", 2), ("a", 3), ("b", 1), ("b", 2)]
    assert not queue.more_in_ledger


def test_what_was_parked_is_taken_in_again_in_its_place(queue: Queue) -> None:
    marks = Marks.of([Mark(key=Key("a", "l", 2), fate=Fate.PARKED)])
    queue.start(marks)
    assert shown(queue)["a"] == [1, 3]
    marks.take(Mark(key=Key("a", "l", 2), fate=Fate.RETRIED))
    queue.retry([Key("a", "l", 2)], marks)
    assert (shown(queue)["a"], queue.waiting) == ([1, 2, 3], 4)
    assert queue.lines["a"].apart == {Key("a", "l", 2)}


def test_a_new_order_has_its_session_read_anew(queue: Queue, tmp_path: Path) -> None:
    queue.start(Marks())
    journal = Forgotten.open(tmp_path / "forgotten.jsonl")
    order = EraseOrder(id="e1", at="", session="a", log="l", turns=(2,))
    journal.append([order])
    journal.close()
    queue.hear(Marks.of([Mark(key=Key("a", "l", 1), fate=Fate.DELIVERED)]))
    assert shown(queue) == {"b": [1], "a": [1, 3]}
    assert [waiting.key.generation for waiting in queue.lines["a"].rows] == [1, 1]
    assert queue.erase == {"a": [order]}


def test_what_left_its_line_is_held_no_more(queue: Queue) -> None:
    queue.start(Marks())
    line = queue.lines["b"]
    gone = list(line.rows)
    line.sent(gone)
    queue.gone(gone)
    assert (list(queue.lines), queue.waiting, queue.held) == (["a"], 3, 3)


def test_sessions_take_turns(queue: Queue) -> None:
    queue.start(Marks())
    queue.turn_to_next("a")
    assert next(iter(queue.lines)) == "b"


def test_what_is_new_does_not_pass_what_the_ledger_still_holds(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_waiting, "HELD", 2)
    queue.start(Marks())
    gone = queue.lines["a"].rows[:]
    queue.lines["a"].sent(gone)
    queue.gone(gone)
    added(queue, row("a", 5))
    queue.hear(Marks.of(Mark(key=each.key, fate=Fate.DELIVERED) for each in gone))
    assert shown(queue) == {"b": [1]}


def test_a_start_reads_from_where_nothing_waited_unless_something_was_forgotten(
    queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_reader, "EVERY", 3)
    marks = Marks()
    queue.start(marks)
    for each in list(queue.rows()):
        marks.take(Mark(key=each.key, fate=Fate.DELIVERED))
        queue.lines[each.key.session].sent([each])
        queue.gone([each])
    added(queue, row("c", 1))
    again = Queue(tmp_path / "ledger.jsonl", tmp_path / "forgotten.jsonl")
    again.start(Marks())
    assert shown(again) == {"c": [1]}, "the marks were not asked about the others"
    journal = Forgotten.open(tmp_path / "forgotten.jsonl")
    journal.append([EraseOrder(id="e1", at="", session="a", log="l", turns=(2,))])
    journal.close()
    again = Queue(tmp_path / "ledger.jsonl", tmp_path / "forgotten.jsonl")
    again.start(marks)
    assert shown(again) == {"a": [1, 3], "c": [1]}


def test_a_spot_of_a_ledger_of_before_is_passed_over(
    queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_reader, "EVERY", 1)
    queue.start(Marks.of(Mark(key=Key(*key), fate=Fate.DROPPED) for key in KEYS))
    assert (tmp_path / "ledger.jsonl.settled").exists()
    (tmp_path / "ledger.jsonl").unlink()
    added(queue, *(row("x", turn) for turn in range(1, 9)))
    again = Queue(tmp_path / "ledger.jsonl", None)
    again.start(Marks())
    assert shown(again) == {"x": list(range(1, 9))}
