"""What a listener without room misses is made good, or said."""

from __future__ import annotations

import pytest

from bxcore.address import Delivery
from bxcore.labels import NEW_SESSION
from bxcore.messages.loop import Notice, TextDelta, TurnOver, TurnResult, TurnStarted, Usage
from bxio.audience_seat import MOST_UNSHOWN, Seat
from tests.doubles.listener import Listener

END = TurnOver(
    result=TurnResult(
        session="k3f", turn=1, reply="ok", failed=None, tools=(), label=NEW_SESSION, usage=Usage()
    )
)
STARTED = TurnStarted(session="k3f", turn=2)


def text(piece: str) -> TextDelta:
    return TextDelta(session="k3f", text=piece)


@pytest.fixture
def listener() -> Listener:
    return Listener(Delivery.BUSY)


@pytest.fixture
def seat(listener: Listener) -> Seat:
    return Seat("k3f", listener)


def test_text_that_found_no_room_goes_with_the_next_piece(seat: Seat, listener: Listener) -> None:
    assert [seat.tell(text(piece)) for piece in "ab"] == [Delivery.BUSY] * 2
    listener.says = Delivery.ACCEPTED
    assert seat.tell(text("c")) is Delivery.ACCEPTED
    assert listener.heard == [text("abc")]
    seat.tell(text("d"))
    assert listener.heard[1:] == [text("d")]


def test_text_that_found_no_room_goes_before_other_news(seat: Seat, listener: Listener) -> None:
    seat.tell(text("a"))
    listener.says = Delivery.ACCEPTED
    seat.tell(STARTED)
    assert listener.heard == [text("a"), STARTED]


def test_other_news_that_found_no_room_is_counted_and_said(seat: Seat, listener: Listener) -> None:
    for _ in range(3):
        seat.tell(STARTED)
    listener.says = Delivery.ACCEPTED
    seat.tell(text("a"))
    said = "3 pieces of this turn's news found no room here, and were left out"
    assert listener.heard == [Notice(session="k3f", text=said), text("a")]
    seat.tell(text("b"))
    assert listener.heard[2:] == [text("b")]


def test_the_text_that_is_kept_is_bounded(seat: Seat, listener: Listener) -> None:
    seat.tell(text("x" * MOST_UNSHOWN))
    seat.tell(text("y"))
    listener.says = Delivery.ACCEPTED
    seat.tell(text("z"))
    assert [event.kind for event in listener.heard] == ["notice", "text_delta"]
    assert (
        sum(len(event.text) for event in listener.heard if isinstance(event, TextDelta)) <= MOST_UNSHOWN + 1
    )


def test_an_end_that_found_no_room_comes_before_the_next_turn(seat: Seat, listener: Listener) -> None:
    seat.tell(text("a"))
    assert seat.tell(END) is Delivery.BUSY
    assert seat.tell(text("of the next turn")) is Delivery.BUSY
    listener.says = Delivery.ACCEPTED
    seat.tell(STARTED)
    assert listener.heard == [END, text("of the next turn"), STARTED]


def test_of_a_turn_that_has_ended_only_the_end_is_told(seat: Seat, listener: Listener) -> None:
    seat.tell(STARTED)
    seat.tell(text("a"))
    listener.says = Delivery.ACCEPTED
    seat.tell(END)
    assert listener.heard == [END]


def test_a_closed_one_is_asked_once(seat: Seat, listener: Listener) -> None:
    listener.says = Delivery.CLOSED
    assert not seat.gone
    assert [seat.tell(text("a")), seat.tell(STARTED)] == [Delivery.CLOSED] * 2
    assert (listener.asked, seat.gone) == (1, True)
