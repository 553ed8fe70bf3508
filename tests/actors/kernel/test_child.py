"""A supervisor's record of a child: its rests, its view, its budgets."""

from __future__ import annotations

from actors.base import State
from actors.kernel.child import Child
from bxcore.backoff import Backoff
from tests.kit.children import Log, child
from tests.kit.kit import Kit
from tests.kit.virtual_world import WALL_S

RESTS = Backoff(first_s=1.0, most_s=8.0)


def record(kit: Kit) -> Child:
    return Child(kit.runtime, child(Log(), "net", backoff=RESTS), kit.runtime.mailbox("net"))


def test_its_rests_grow_while_it_fails_soon_and_begin_anew_after_a_long_run(kit: Kit) -> None:
    net = record(kit)
    rests = [net.rest_s(RESTS) for _ in range(4)]
    assert [lower <= rest for lower, rest in zip((0.5, 1.0, 2.0, 4.0), rests, strict=True)] == [True] * 4
    assert max(rests) <= RESTS.most_s
    kit.advance(8.0)
    assert net.rest_s(RESTS) <= 1.0


def test_it_shows_its_state_since_when(kit: Kit) -> None:
    net = record(kit)
    assert (net.view().state, net.view().incarnation) == (State.STOPPED, 0)
    kit.advance(5.0)
    net.enter(State.RESTARTING)
    assert net.view().since_s == WALL_S + 5.0


def test_stopping_what_never_ran_is_done_at_once(kit: Kit) -> None:
    net = record(kit)
    net.await_end(net.order_stop(comes_back=False))
    assert kit.now() == 0.0
    assert net.state is State.STOPPED
