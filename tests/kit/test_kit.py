"""The kit itself: same seed same run, virtual time, deadlocks by name, and what is left behind."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from actors.base import Actor, Context, Late, TimedOut
from bxcore.supervision import ChildSpec, SupervisorSpec
from tests.kit.kit import Kit
from tests.kit.virtual_world import Deadlock


class Echo(Actor):
    def on_receive(self, message: Any) -> object:
        return message


class Forward(Actor):
    def __init__(self, context: Context, to: str, wait_s: float = 5.0) -> None:
        super().__init__(context)
        self._to = context.runtime.mailbox(to)
        self._wait_s = wait_s

    def on_receive(self, message: Any) -> object:
        return self._to.call(message, self._wait_s)


class Silent(Actor):
    def on_receive(self, message: Any) -> object:
        return self.reply_later()


def busy_run(seed: int) -> tuple[list[str], list[Any]]:
    kit = Kit(seed)
    boxes = [kit.start(f"echo-{n}", Echo) for n in range(4)]
    for n in range(4):
        kit.start(f"forward-{n}", partial(Forward, to=f"echo-{n}"))
    asked = [kit.runtime.mailbox(f"forward-{n}").ask(n, kit.now() + 9.0) for n in range(4)]
    answers = [reply.get(9.0) for reply in asked] + [box.call("x", 1.0) for box in boxes]
    trace = list(kit.world.trace)
    assert kit.close() == []
    return trace, answers


def test_the_same_seed_is_the_same_interleaving() -> None:
    assert busy_run(7) == busy_run(7)


def test_another_seed_is_another_interleaving() -> None:
    assert len({tuple(busy_run(seed)[0]) for seed in range(6)}) > 1


def test_an_hour_passes_at_once(kit: Kit) -> None:
    box = kit.start("silent", Silent)
    with pytest.raises(TimedOut):
        box.call("anyone?", 3600.0)
    assert kit.now() == 3600.0


def test_advance_stops_at_each_timer_on_the_way(kit: Kit) -> None:
    seen: list[float] = []

    class Ticker(Actor):
        def on_start(self) -> None:
            self.tell_later(2.0, "tick")

        def on_receive(self, message: Any) -> None:
            seen.append(self.now())
            self.tell_later(2.0, message)

    kit.start("ticker", Ticker)
    kit.advance(7.0)
    assert seen == [2.0, 4.0, 6.0]
    assert kit.now() == 7.0


def test_a_circle_of_asks_is_named_at_once(kit: Kit) -> None:
    there = kit.start("there", lambda context: Forward(context, "back"))
    kit.start("back", lambda context: Forward(context, "there"))
    with pytest.raises(Deadlock, match=r"there waits for back|back waits for there"):
        there.call("ping", 3600.0)
    assert kit.now() == 0.0
    kit.advance(3601.0)
    kit.letters.read_all()


def test_a_child_that_asks_its_supervisor_at_its_start_is_named(kit: Kit) -> None:
    class AsksUp(Actor):
        def on_start(self) -> None:
            self._kernel_life.runtime.mailbox("root").call("ready?", 9.0)

    spec = SupervisorSpec(children=(ChildSpec(name="upward", start=AsksUp),))
    with pytest.raises(Deadlock, match=r"upward waits for root|root waits for upward"):
        kit.tree(spec)
    kit.advance(10.0)
    kit.letters.read_all()


def test_a_probe_sees_what_came_and_answers_it(kit: Kit) -> None:
    probe = kit.probe("probe")
    reply = probe.box.ask("question", kit.now() + 1.0)
    assert probe.expect(str) == "question"
    probe.reply("answer")
    assert reply.get(1.0) == "answer"
    probe.expect_none(within_s=5.0)
    with pytest.raises(AssertionError, match="no int came to probe within"):
        probe.expect(int)
    probe.box.tell("text")
    with pytest.raises(AssertionError, match="str came to probe, not int"):
        probe.expect(int)


def test_a_crash_is_followed_by_a_restart_that_can_be_expected(kit: Kit) -> None:
    kit.tree(SupervisorSpec(children=(ChildSpec(name="echo", start=Echo),)))
    kit.crash("echo", SystemExit())
    assert kit.expect_restart("echo") == 2


def test_what_is_left_behind_is_told() -> None:
    kit = Kit(1)
    box = kit.start("silent", Silent)
    box.close()
    box.tell("too late")
    kit.runtime.mailbox("unread").tell("never read")
    problems = kit.close()
    assert any("unread dead letter" in problem and "silent" in problem for problem in problems)
    assert "the mailbox unread is open" in problems


def test_a_left_thread_is_told_and_ended() -> None:
    kit = Kit(1)
    condition = kit.world.condition()

    def wait_for_ever() -> None:
        with condition:
            condition.wait(1e9)

    kit.world.spawn("stray", wait_for_ever)
    assert kit.close() == ["the thread stray is left"]


def test_a_lock_under_a_lock_is_refused(kit: Kit) -> None:
    outer, inner = kit.world.condition(), kit.world.condition()
    with outer, pytest.raises(AssertionError, match="under another lock"), inner:
        pass


def test_a_reply_is_late_at_its_own_deadline_whatever_the_asker_would_wait(kit: Kit) -> None:
    reply = kit.start("silent", Silent).ask("?", kit.now() + 2.0)
    assert reply.outcome(kit.now() + 50.0) == Late()
    assert kit.now() == 2.0
