"""Beginning and ending a life from outside."""

from __future__ import annotations

from functools import partial

import pytest

from actors.base import Answer, Failed
from actors.kernel.launch import launch, order_stop, stop
from tests.kit.children import Child, Log
from tests.kit.kit import Kit
from tests.kit.log_lines import log_lines


def test_what_is_raised_while_an_actor_is_made_is_its_failed_start(kit: Kit) -> None:
    def make(_: object) -> Child:
        raise SystemExit("secret")

    with log_lines() as lines:
        life = launch(kit.runtime, make, kit.runtime.mailbox("child"))
    assert isinstance(life.ready.peek(), Failed)
    assert (life.reason, life.error, life.alive) == ("start_failed", "SystemExit", False)
    assert "secret" not in lines[0]


@pytest.mark.parametrize("seed", range(30))
def test_a_stop_within_its_budget_is_true_and_the_thread_is_gone(seed: int) -> None:
    kit = Kit(seed, preemption=0.6)
    log = Log(slow={("stop", "child"): 1.0})
    kit.start("child", partial(Child, log=log))
    life = kit.runtime.life("child")
    assert life is not None
    assert stop(life, 1.5)
    assert life.thread is not None
    assert not life.thread.is_alive()
    assert log.lines == ["start child", "cut child", "stop child"]
    assert kit.close() == []


def test_a_stop_over_its_budget_is_false_and_the_life_is_a_zombie(kit: Kit) -> None:
    log = Log(slow={("stop", "child"): 9.0})
    box = kit.start("child", partial(Child, log=log))
    life = kit.runtime.life("child")
    assert life is not None
    assert not stop(life, 1.5)
    assert life.fenced
    assert kit.runtime.life("child") is None
    assert len(kit.runtime.zombies.snapshot()) == 1
    kit.advance(9.0)
    assert kit.runtime.zombies.snapshot() == ()
    box.close()


@pytest.mark.parametrize("times", [1, 3])
def test_wanting_an_end_twice_is_wanting_it_once(kit: Kit, times: int) -> None:
    log = Log()
    kit.start("child", partial(Child, log=log))
    life = kit.runtime.life("child")
    assert life is not None
    for _ in range(times):
        order_stop(life)
    assert life.ended.outcome_kept(kit.now() + 1.0) == Answer(None)
    assert log.lines.count("stop child") == 1
