from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bxcore.address import Delivery
from bxcore.labels import NEW_SESSION
from bxcore.messages.loop import Notice, TextDelta, TurnEvent, TurnOver, TurnResult, Usage
from bxio.turn_stream import MOST_ENDS, MOST_EVENTS, MOST_TEXT, TurnStream

END = TurnOver(
    result=TurnResult(
        session="main", turn=1, reply="ok", failed=None, tools=(), label=NEW_SESSION, usage=Usage()
    )
)


def delta(text: str) -> TextDelta:
    return TextDelta(session="main", text=text)


def notice(text: str) -> Notice:
    return Notice(session="main", text=text)


def stream() -> tuple[TurnStream, list[str]]:
    woken: list[str] = []
    return TurnStream("conn-1", lambda: woken.append("woken")), woken


def test_it_wakes_once_until_it_is_taken() -> None:
    made, woken = stream()
    made.tell(notice("a"))
    made.tell(notice("b"))
    assert woken == ["woken"]
    assert made.take() == [notice("a"), notice("b")]
    made.tell(notice("c"))
    assert woken == ["woken", "woken"]
    assert made.name == "conn-1"


@given(st.lists(st.one_of(st.text(max_size=5).map(delta), st.text(max_size=5).map(notice)), max_size=60))
def test_text_is_joined_and_nothing_else_changes(events: list[TurnEvent]) -> None:
    made, _ = stream()
    assert {made.tell(event) for event in events} <= {Delivery.ACCEPTED}
    taken = made.take()
    assert "".join(each.text for each in taken if isinstance(each, TextDelta)) == "".join(
        each.text for each in events if isinstance(each, TextDelta)
    )
    assert [each for each in taken if isinstance(each, Notice)] == [
        each for each in events if isinstance(each, Notice)
    ]
    kinds = [type(each) for each in taken]
    assert all(not (a is b is TextDelta) for a, b in pairwise(kinds))


def test_who_stands_still_loses_the_newest_and_holds_up_nobody() -> None:
    made, woken = stream()
    told = [made.tell(notice(str(number))) for number in range(MOST_EVENTS + 10)]
    assert told.count(Delivery.BUSY) == 10
    assert len(made.take()) == MOST_EVENTS
    assert woken == ["woken"]


def test_a_joined_text_has_a_limit() -> None:
    made, _ = stream()
    for _ in range(MOST_EVENTS + 50):
        made.tell(delta("x" * (MOST_TEXT // 2 + 1)))
    taken = made.take()
    assert len(taken) == MOST_EVENTS
    assert all(len(each.text) <= MOST_TEXT for each in taken if isinstance(each, TextDelta))


def test_after_its_close_it_refuses_and_wakes_nobody() -> None:
    made, woken = stream()
    made.close()
    assert made.tell(notice("a")) is Delivery.CLOSED
    assert (made.take(), woken) == ([], [])


def test_its_close_says_whether_who_takes_is_still_to_be_woken() -> None:
    made, woken = stream()
    assert not made.closed
    made.tell(notice("a"))
    assert (made.close(), made.closed, woken) == (True, True, ["woken"])
    assert made.take() == []
    assert made.close() is False


def test_the_end_of_a_turn_finds_room_where_nothing_else_does() -> None:
    made, _ = stream()
    while made.tell(notice("a")) is Delivery.ACCEPTED:
        pass
    assert [made.tell(END) for _ in range(MOST_ENDS)] == [Delivery.ACCEPTED] * MOST_ENDS
    assert made.tell(END) is made.tell(notice("b")) is Delivery.BUSY
    assert len(made.take()) == MOST_EVENTS + MOST_ENDS
