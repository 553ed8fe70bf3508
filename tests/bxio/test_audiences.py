"""One audience a session, for as long as somebody needs it."""

from __future__ import annotations

import gc

from bxcore.messages.loop import TurnStarted
from bxio.audience import MOST_WATCHERS
from bxio.audiences import Audiences
from bxio.brake import Brake
from tests.doubles.listener import Listener

STARTED = TurnStarted(session="k3f", turn=1)


def test_what_a_turn_holds_and_what_is_watched_are_the_same() -> None:
    audiences, watcher = Audiences(), Listener()
    held = audiences.of("k3f")
    assert audiences.join("k3f", watcher)
    assert audiences.of("k3f") is held
    assert audiences.of("other") is not held
    held.begin(None, Brake())
    held.tell(STARTED)
    assert watcher.heard == [STARTED]


def test_a_watched_one_stays_and_one_that_nobody_needs_is_forgotten() -> None:
    audiences, watcher = Audiences(), Listener()
    audiences.join("k3f", watcher)
    for number in range(100):
        audiences.of(f"s{number}")
    gc.collect()
    assert len(audiences) == 1
    audiences.leave("k3f", watcher)
    audiences.leave("k3f", watcher)
    audiences.leave("never", watcher)
    gc.collect()
    assert len(audiences) == 0


def test_what_a_turn_holds_is_not_forgotten_while_its_watchers_come_and_go() -> None:
    audiences, watcher = Audiences(), Listener()
    held = audiences.of("k3f")
    audiences.join("k3f", watcher)
    audiences.leave("k3f", watcher)
    gc.collect()
    assert audiences.of("k3f") is held


def test_too_many_are_a_no() -> None:
    audiences = Audiences()
    assert all(audiences.join("k3f", Listener()) for _ in range(MOST_WATCHERS))
    assert not audiences.join("k3f", Listener())
    assert audiences.join("other", Listener())
