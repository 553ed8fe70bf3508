"""A session's line: in order, halved where Honcho refuses, and never parked by an outage alone."""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from bxcore.decide import Send, Workspace
from bxcore.delivery_marks import Key
from bxcore.outbox_line import MOST_TURNS, ROUNDS, ROUNDS_ALONE, Line, Move, Waiting
from bxcore.turn_decisions import Decided

TRUSTED, UNTRUSTED = Send(Workspace.TRUSTED, "owner"), Send(Workspace.UNTRUSTED, "owner")


def waiting(turn: int, action: Send = TRUSTED) -> Waiting:
    row = Decided(session="k3f", turn=turn, size=1, action=action)
    return Waiting(turn, row, Key("k3f", "", turn))


def line(count: int) -> Line:
    return Line(rows=[waiting(turn) for turn in range(1, count + 1)])


class Server:
    """Stores a batch whole or not at all; ``poison`` turns are answered 422 or 500, ``down`` requests 500.

    Of what is ``lost`` it stores the batch and answers 503.
    """

    def __init__(
        self,
        poison: dict[int, int],
        down: Callable[[int], bool] = lambda _: False,
        lost: Callable[[int], bool] = lambda _: False,
    ) -> None:
        self.poison, self.down, self.lost = poison, down, lost
        self.stored: list[int] = []
        self.asked = 0

    def well(self) -> bool:
        self.asked += 1
        return not self.down(self.asked)

    def answer(self, batch: list[Waiting]) -> int:
        if not self.well():
            return 500
        worst = max((self.poison.get(each.row.turn, 200) for each in batch), default=200)
        if worst == 200:
            self.stored += [each.row.turn for each in batch]
            return 503 if self.lost(self.asked) else 200
        return worst


class Driver:
    """What the outbox does with a line, one request a step."""

    def __init__(self, queue: Line, server: Server) -> None:
        self.line, self.server = queue, server
        self.parked: list[int] = []
        self.appended = 0
        self.chance = random.Random(7)

    def run(self, steps: int) -> list[int]:
        for _ in range(steps):
            if not self.line.rows:
                break
            self.step()
        return self.parked

    def step(self) -> None:
        queue = self.line
        if queue.maybe:
            self.resolve()
            return
        match queue.move(self.appended):
            case Move.PARK:
                self.park(queue.rows[0])
            case Move.PROBE:
                queue.probed() if self.server.well() else queue.doubted()
            case Move.WITNESS:
                self.send([queue.witness()])
            case Move.SEND:
                self.send(queue.next())

    def resolve(self) -> None:
        turns = self.line.maybe
        for _ in range(1 + (self.chance.random() < 0.25)):
            if not self.server.well():
                self.line.doubted()
                return
        self.line.maybe = ()
        if turns[0].row.turn in self.server.stored:
            self.appended += 1
            self.line.sent(turns)

    def send(self, batch: list[Waiting]) -> None:
        match self.server.answer(batch):
            case 200:
                self.appended += 1
                self.line.sent(batch)
            case 422:
                found = self.line.refused(batch)
                if found is not None:
                    self.park(found)
            case 503:
                self.line.maybe = tuple(batch)
                self.line.doubted()
            case _:
                self.line.maybe = tuple(batch)
                suspect = batch == self.line.rows[:1]
                self.line.failed(batch, self.appended)
                if not suspect:
                    self.line.doubted()

    def park(self, waiting: Waiting) -> None:
        self.line.parked(waiting)
        self.parked.append(waiting.row.turn)


@given(st.integers(1, 80), st.dictionaries(st.integers(1, 80), st.sampled_from([422, 500]), max_size=6))
def test_every_good_turn_arrives_once_in_order_and_poison_is_parked(
    count: int, poison: dict[int, int]
) -> None:
    """The last turn is a good one: where nothing good is behind two of poison, it may be an outage."""
    poison.pop(count, None)
    queue, server = line(count), Server(poison)
    parked = Driver(queue, server).run(9000)
    assert server.stored == [turn for turn in range(1, count + 1) if turn not in poison]
    assert sorted(parked) == sorted(turn for turn in poison if turn <= count)
    assert queue.rows == []


@given(st.integers(1, 80), st.integers(2, 9), st.integers(0, 8))
def test_a_server_that_fails_each_nth_request_parks_nothing_and_keeps_the_order(
    count: int, every: int, behind: int
) -> None:
    queue, server = line(count), Server({}, lambda asked: (asked + behind) % every == 0)
    assert Driver(queue, server).run(9000) == []
    assert server.stored == list(range(1, count + 1))


@given(st.integers(1, 80), st.integers(1, 9), st.integers(1, 80))
def test_answers_that_are_lost_double_nothing(count: int, every: int, poison: int) -> None:
    queue, server = line(count), Server({poison: 500}, lost=lambda asked: asked % every == 0)
    Driver(queue, server).run(9000)
    assert server.stored == [turn for turn in range(1, count + 1) if turn != poison]


@given(st.integers(1, 60))
def test_an_outage_parks_nothing(count: int) -> None:
    queue = line(count)
    assert Driver(queue, Server({}, lambda _: True)).run(300) == []
    assert len(queue.rows) == count


@given(st.integers(2, 60))
def test_a_server_that_takes_no_append_but_answers_else_parks_nothing(count: int) -> None:
    queue = line(count)
    assert Driver(queue, Server(dict.fromkeys(range(1, 61), 500))).run(2000) == []


def suspect(rounds: int, count: int) -> Line:
    """A line whose first turn was answered 500 so often, each time with probes in between."""
    queue = line(count)
    for _ in range(rounds):
        queue.failed([queue.rows[0]], 0)
        while queue.move(0) is Move.PROBE:
            queue.probed()
    return queue


def test_a_suspect_is_tried_again_until_it_is_enough_and_then_a_witness_is_sent() -> None:
    assert suspect(ROUNDS - 1, 3).move(0) is Move.SEND
    queue = suspect(ROUNDS, 3)
    assert queue.move(0) is Move.WITNESS
    assert queue.witness().row.turn == 2
    queue.sent([queue.witness()])
    assert queue.move(1) is Move.PARK


def test_what_others_sent_in_the_meantime_is_witness_enough() -> None:
    assert suspect(ROUNDS, 3).move(1) is Move.PARK


def test_without_any_witness_it_takes_longer() -> None:
    assert suspect(ROUNDS_ALONE - 1, 1).move(0) is Move.SEND
    assert suspect(ROUNDS_ALONE, 1).move(0) is Move.PARK


def test_a_failure_at_something_else_begins_the_count_anew() -> None:
    queue = suspect(ROUNDS, 3)
    queue.doubted()
    assert queue.move(9) is Move.SEND
    assert queue.suspected == 0


def test_a_witness_that_fails_too_acquits_and_the_next_one_is_another() -> None:
    queue = suspect(ROUNDS, 4)
    queue.failed([queue.witness()], 0)
    assert queue.move(0) is Move.SEND
    assert queue.witness().row.turn == 3


def test_a_suspect_goes_alone_though_more_wait() -> None:
    assert [each.row.turn for each in suspect(1, 3).next()] == [1]


def test_probes_change_in_number_so_that_no_period_fits() -> None:
    queue, counts = line(2), []
    for _ in range(3):
        queue.failed([queue.rows[0]], 0)
        count = 0
        while queue.move(0) is Move.PROBE:
            queue.probed()
            count += 1
        counts.append(count)
    assert counts == [3, 2, 3]


def test_the_first_that_is_not_there_makes_sure_of_all_behind_it() -> None:
    queue = line(3)
    queue.unsure = True
    assert len(queue.next()) == 1
    queue.absent(queue.rows[0])
    assert len(queue.next()) == 3


def test_a_turn_whose_fate_is_its_own_goes_alone_and_is_looked_up() -> None:
    queue = line(4)
    queue.apart = {queue.rows[2].key}
    assert [each.row.turn for each in queue.next()] == [1, 2]
    queue.sent(queue.next())
    assert [each.row.turn for each in queue.next()] == [3]
    assert queue.looked_up_alone(queue.rows[0])
    queue.absent(queue.rows[0])
    assert [each.row.turn for each in queue.next()] == [3, 4]


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


def test_what_is_refused_is_found_by_halves() -> None:
    queue, server = line(48), Server({31: 422})
    assert Driver(queue, server).run(100) == [31]
    assert server.asked < 20


def test_what_is_too_large_together_is_never_again_as_large() -> None:
    queue = line(48)
    assert queue.too_large(queue.next(), 96) is None
    for _ in range(2):
        assert len(queue.next()) == 24
        queue.sent(queue.next()[:12])


def test_a_turn_that_is_too_large_goes_in_single_messages_and_then_is_found() -> None:
    queue = line(3)
    first = queue.rows[0]
    assert queue.too_large([first], 2) is None
    assert (queue.next(), queue.looked_up_alone(first)) == ([first], True)
    queue.absent(first)
    assert queue.next() == [first], "alone, also when nothing of it is there"
    assert queue.too_large([first], 1) is first
    queue.parked(first)
    assert len(queue.next()) == 2
