"""Whom a session's turns are told to: each hears all of a turn, and none holds it up."""

from __future__ import annotations

import pytest

from bxcore.address import Delivery
from bxcore.labels import NEW_SESSION, TOP
from bxcore.messages.broker import ApprovalAsked
from bxcore.messages.loop import Notice, TextDelta, TurnEvent, TurnOver, TurnResult, TurnStarted, Usage
from bxio.audience import MOST_WATCHERS, UNHEARD, Audience
from bxio.brake import Brake
from tests.doubles.control_box import APPROVAL
from tests.doubles.listener import Listener

STARTED = TurnStarted(session="k3f", turn=3, text="hi", speaker="anna")
RESULT = TurnResult(
    session="k3f", turn=3, reply="ok", failed=None, tools=(), label=NEW_SESSION, usage=Usage()
)


def text(piece: str) -> TextDelta:
    return TextDelta(session="k3f", text=piece)


@pytest.fixture
def audience() -> Audience:
    return Audience("k3f")


def watched(audience: Audience) -> Listener:
    listener = Listener()
    assert audience.join(listener)
    return listener


def run(audience: Audience, *events: TurnEvent, brake: Brake | None = None) -> Listener:
    """A turn that has shown these events; its asker."""
    asker = Listener()
    audience.begin(asker, brake or Brake())
    for event in events:
        audience.tell(event)
    return asker


def test_the_asker_and_every_watcher_hear_the_same_and_only_watchers_the_end(audience: Audience) -> None:
    one, two = watched(audience), watched(audience)
    asker = run(audience, STARTED, text("o"), text("k"))
    audience.over(RESULT)
    assert asker.heard == [STARTED, text("o"), text("k")]
    assert one.heard == two.heard == [*asker.heard, TurnOver(result=RESULT)]


def test_who_joins_in_the_middle_first_hears_what_was_shown(audience: Audience) -> None:
    run(audience, STARTED, text("he"), text("llo"))
    late = watched(audience)
    audience.tell(text(" there"))
    audience.over(RESULT)
    assert late.heard == [STARTED, text("hello"), text(" there"), TurnOver(result=RESULT)]
    assert watched(audience).heard == []


def test_who_joins_twice_is_told_once_and_who_has_left_no_more(audience: Audience) -> None:
    listener = watched(audience)
    assert audience.join(listener)
    run(audience, STARTED)
    audience.leave(listener)
    audience.tell(text("x"))
    assert listener.heard == [STARTED]
    assert not audience.watched


def test_the_watchers_of_one_session_are_bounded_and_a_closed_one_makes_room(audience: Audience) -> None:
    all_ = [watched(audience) for _ in range(MOST_WATCHERS)]
    assert not audience.join(Listener())
    all_[0].says = Delivery.CLOSED
    run(audience, STARTED)
    assert audience.join(Listener())


def test_a_watcher_that_went_away_is_removed_by_the_next_news(audience: Audience) -> None:
    gone = watched(audience)
    gone.says = Delivery.CLOSED
    run(audience, STARTED, text("x"))
    assert (gone.asked, audience.watched) == (1, False)


def test_only_an_approvals_question_says_what_became_of_it_at_the_asker(audience: Audience) -> None:
    asker, watcher = run(audience, STARTED), watched(audience)
    asker.says = Delivery.BUSY
    assert audience.tell(text("x")) is Delivery.ACCEPTED
    assert audience.tell(ApprovalAsked(session="k3f", approval=APPROVAL)) is Delivery.BUSY
    asker.says, watcher.says = Delivery.ACCEPTED, Delivery.BUSY
    assert audience.tell(ApprovalAsked(session="k3f", approval=APPROVAL)) is Delivery.ACCEPTED
    asker.says = Delivery.CLOSED
    assert audience.tell(ApprovalAsked(session="k3f", approval=APPROVAL)) is Delivery.CLOSED
    audience.over(RESULT)
    audience.begin(None, Brake())
    assert audience.tell(ApprovalAsked(session="k3f", approval=APPROVAL)) is Delivery.ACCEPTED


def test_without_a_turn_nothing_is_told(audience: Audience) -> None:
    watcher = watched(audience)
    assert audience.tell(text("late")) is Delivery.CLOSED
    audience.over(RESULT)
    assert watcher.heard == []


def test_a_turn_that_did_not_begin_has_no_end(audience: Audience) -> None:
    watcher = watched(audience)
    run(audience, Notice(session="k3f", text="the model loads"))
    audience.over(RESULT)
    assert [event.kind for event in watcher.heard] == ["notice"]
    assert not audience.busy


def test_a_lost_turn_is_told_as_lost_at_the_top_label_and_only_once(audience: Audience) -> None:
    watcher, brake = watched(audience), Brake()
    run(audience, STARTED, brake=brake)
    audience.lost(Brake(), "another turn's")
    assert audience.busy
    audience.lost(brake, "session k3f failed")
    audience.lost(brake, "session k3f failed")
    (end,) = [event for event in watcher.heard if isinstance(event, TurnOver)]
    assert (end.result.turn, end.result.reply, end.result.failed) == (3, None, "session k3f failed")
    assert end.result.label == TOP
    assert not audience.busy


def test_a_turn_that_begins_ends_one_that_nobody_ended(audience: Audience) -> None:
    watcher = watched(audience)
    run(audience, STARTED)
    run(audience, STARTED)
    assert [event.kind for event in watcher.heard] == ["turn_started", "turn_over", "turn_started"]
    end = watcher.heard[1]
    assert isinstance(end, TurnOver)
    assert end.result.failed == UNHEARD


def test_a_stop_pulls_the_brake_of_the_turn_that_runs(audience: Audience) -> None:
    assert not audience.stop()
    brake = Brake()
    run(audience, STARTED, brake=brake)
    assert audience.stop()
    assert brake.pulled()
    brake.release()
    assert not audience.stop()
