"""The ring of dead letters: bounded, counted by address and reason, without a text."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from actors.base import DeadLetters, Why
from actors.kernel.dead_letters import COUNTED, size_of
from tests.kit.virtual_world import WALL_S, VirtualWorld


def test_the_ring_keeps_the_newest_and_the_counters_keep_all() -> None:
    ring = DeadLetters(VirtualWorld(), ring=3)
    for number in range(5):
        ring.count("memory", Why.BUSY if number % 2 else Why.DEAD, "Recall", number)
    assert [letter.number for letter in ring.snapshot()] == [3, 4, 5]
    assert ring.counts() == {("memory", Why.DEAD): 3, ("memory", Why.BUSY): 2}
    newest = ring.snapshot()[-1]
    assert (newest.address, newest.reason, newest.type_name, newest.size) == ("memory", "dead", "Recall", 4)
    assert newest.at_s == WALL_S


def test_addresses_that_are_made_without_end_do_not_fill_the_counters() -> None:
    ring = DeadLetters(VirtualWorld(), ring=3)
    for number in range(COUNTED + 100):
        ring.count(f"asks/{number}-own", Why.LATE, "ChatAnswered", 1)
    ring.count("asks/0-own", Why.LATE, "ChatAnswered", 1)
    ring.count("memory", Why.DEAD, "Recall", 1)
    counts = ring.counts()
    assert (counts["asks/*", Why.LATE], counts["asks/0-own", Why.LATE], counts["memory", Why.DEAD]) == (
        100,
        2,
        1,
    )
    assert len(counts) == COUNTED + 2
    assert sum(counts.values()) == COUNTED + 102


def test_the_listener_hears_once_for_each_stretch_of_unread_letters() -> None:
    ring = DeadLetters(VirtualWorld(), ring=3)
    heard: list[int] = []
    ring.count("memory", Why.DEAD, "A", 0)
    ring.listen(lambda: heard.append(len(heard)))
    assert heard == [0]
    ring.count("memory", Why.DEAD, "B", 0)
    assert heard == [0]
    assert [letter.type_name for letter in ring.read_new()] == ["A", "B"]
    assert ring.read_new() == ()
    ring.count("memory", Why.DEAD, "C", 0)
    assert heard == [0, 1]
    ring.listen(None)
    assert [letter.type_name for letter in ring.read_new()] == ["C"]
    ring.count("memory", Why.DEAD, "D", 0)
    assert heard == [0, 1]


def test_a_reader_that_is_slow_gets_what_the_ring_still_has() -> None:
    ring = DeadLetters(VirtualWorld(), ring=3)
    for number in range(9):
        ring.count("memory", Why.DEAD, str(number), 0)
    assert [letter.type_name for letter in ring.read_new()] == ["6", "7", "8"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    text: str
    raw: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    inner: tuple[Inner, ...]
    number: int
    title: str


@given(st.lists(st.tuples(st.text(max_size=20), st.binary(max_size=20)), max_size=5), st.text(max_size=20))
def test_a_size_is_the_text_in_a_message(inner: list[tuple[str, bytes]], title: str) -> None:
    message = Outer(inner=tuple(Inner(text=text, raw=raw) for text, raw in inner), number=7, title=title)
    assert size_of(message) == len(title) + sum(len(text) + len(raw) for text, raw in inner)


def test_a_size_ends_at_a_depth_and_knows_other_things_as_nothing() -> None:
    nested: tuple[object, ...] = ("x",)
    for _ in range(10):
        nested = (nested,)
    assert size_of(nested) == 0
    assert size_of(object()) == size_of(None) == size_of(Outer) == 0
