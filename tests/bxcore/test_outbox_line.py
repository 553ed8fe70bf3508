"""A session's line: in order, halved where Honcho refuses, and never parked by an outage alone."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from bxcore.decide import Send, Workspace
from bxcore.delivery_marks import Key
from bxcore.outbox_line import MOST_TURNS, Line, Waiting
from bxcore.turn_decisions import Decided

TRUSTED, UNTRUSTED = Send(Workspace.TRUSTED, "owner"), Send(Workspace.UNTRUSTED, "owner")


def waiting(turn: int, action: Send = TRUSTED) -> Waiting:
    row = Decided(session="k3f", turn=turn, size=1, action=action)
    return Waiting(turn, row, Key("k3f", "", turn))


def line(count: int) -> Line:
    return Line(rows=[waiting(turn) for turn in range(1, count + 1)])


class Server:
    """Stores a batch whole or not at all; ``poison`` turns are answered 422 or 500, ``down`` calls 500."""

    def __init__(self, poison: dict[int, int], down: Callable[[int], bool] = lambda _: False) -> None:
        self.poison, self.down = poison, down
        self.stored: list[int] = []
        self.asked = 0

    def answer(self, batch: list[Waiting]) -> int:
        self.asked += 1
        if self.down(self.asked):
            return 500
        worst = max((self.poison.get(each.row.turn, 200) for each in batch), default=200)
        if worst == 200:
            self.stored += [each.row.turn for each in batch]
        return worst


def drive(queue: Line, server: Server, steps: int) -> list[int]:
    """Let the line go on for some steps; the turns that were parked."""
    parked: list[int] = []
    others = 0
    for _ in range(steps):
        if not queue.rows:
            break
        batch = queue.next()
        found = None
        if queue.unsure:  # what a real sender looks up
            batch, queue.unsure = batch[:1], False
        match server.answer(batch):
            case 200:
                others += 1
                queue.sent(batch)
            case 422:
                found = queue.refused(batch)
            case _:
                found = queue.failed(batch, others)
        parked += [found.row.turn] if found else []
    return parked


@given(st.integers(1, 80), st.dictionaries(st.integers(1, 80), st.sampled_from([422, 500]), max_size=6))
def test_every_good_turn_arrives_once_and_poison_is_parked_where_another_turn_proves_it(
    count: int, poison: dict[int, int]
) -> None:
    queue, server = line(count), Server(poison)
    parked = drive(queue, server, 3000)
    bad = {turn for turn in poison if turn <= count}
    assert sorted(server.stored) == [turn for turn in range(1, count + 1) if turn not in bad]
    left = {each.row.turn for each in queue.rows}
    assert set(parked) | left == bad
    assert len(parked) + len(left) == len(bad)
    assert all(poison[turn] == 500 for turn in left), "a 422 is proof enough"


@given(st.integers(1, 80), st.integers(2, 5), st.integers(0, 4))
def test_a_server_that_fails_now_and_then_parks_nothing(count: int, every: int, behind: int) -> None:
    queue, server = line(count), Server({}, lambda asked: (asked + behind) % every == 0)
    assert drive(queue, server, 3000) == []
    assert sorted(server.stored) == list(range(1, count + 1))


@given(st.integers(1, 60))
def test_an_outage_parks_nothing(count: int) -> None:
    queue = line(count)
    assert drive(queue, Server({}, lambda _: True), 200) == []
    assert len(queue.rows) == count


@given(st.integers(1, 120), st.sets(st.integers(1, 120), max_size=4))
def test_without_suspects_turns_arrive_in_order(count: int, refused: set[int]) -> None:
    queue, server = line(count), Server(dict.fromkeys(refused, 422))
    drive(queue, server, 3000)
    assert server.stored == sorted(server.stored)


def test_a_500_is_no_poison_before_another_append_came_through() -> None:
    queue = line(1)
    assert [queue.failed(queue.next(), 5) for _ in range(4)] == [None] * 4
    assert queue.failed(queue.next(), 6) == waiting(1)
    assert queue.rows == []


def test_behind_a_suspect_the_next_turn_is_the_witness_and_then_the_suspect_is_tried_again() -> None:
    queue = line(3)
    assert queue.failed(queue.next(), 0) is None  # all three: halved
    assert queue.failed(queue.next(), 0) is None  # the first by itself
    assert [each.row.turn for each in queue.next()] == [2]
    queue.sent(queue.next())
    assert [each.row.turn for each in queue.next()] == [1]
    assert queue.failed(queue.next(), 1) == waiting(1)
    assert [each.row.turn for each in queue.rows] == [3]


def test_each_turn_behind_a_suspect_may_be_the_witness() -> None:
    queue = line(3)
    for _ in range(2):
        queue.failed(queue.next(), 0)
    assert queue.failed(queue.next(), 0) is None
    assert [each.row.turn for each in queue.next()] == [3]


def test_a_batch_goes_to_one_workspace() -> None:
    queue = Line(rows=[waiting(1), waiting(2), waiting(3, UNTRUSTED), waiting(4)])
    assert [each.row.turn for each in queue.next()] == [1, 2]


def test_a_batch_has_at_most_fifty_turns() -> None:
    assert len(line(70).next()) == MOST_TURNS


def test_a_turn_that_is_tried_again_comes_in_its_place() -> None:
    queue = line(3)
    queue.rows.pop(1)
    queue.add(waiting(2))
    assert [each.row.turn for each in queue.rows] == [1, 2, 3]
