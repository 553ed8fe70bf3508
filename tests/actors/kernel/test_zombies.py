"""Stuck threads are counted with their age; too many or too old, and the process is told to end."""

from __future__ import annotations

import pytest

from bxcore.messages.supervision import RestartChild
from bxcore.supervision import SupervisorSpec
from tests.kit.children import Log, child
from tests.kit.kit import Kit


def stick(kit: Kit, times: int) -> list[str]:
    """Have a child stuck and fenced so many times; what the limit's hook was told."""
    told: list[str] = []
    kit.runtime.zombies.on_limit = told.append
    kit.tree(SupervisorSpec(children=(child(Log(), "a", shutdown_s=1.0),)))
    for _ in range(times):
        kit.runtime.mailbox("a").tell(500.0)
        kit.settle()
        assert kit.runtime.mailbox("root").call(RestartChild(name="a"), 5.0).ok
    return told


def test_each_is_shown_with_its_age_until_its_thread_has_ended(kit: Kit) -> None:
    stick(kit, 2)
    kit.advance(10.0)
    shown = [(zombie.name, zombie.incarnation, zombie.age_s) for zombie in kit.runtime.zombies.snapshot()]
    assert shown == [("a", 1, 11.0), ("a", 3, 10.0)]
    kit.advance(500.0)
    assert kit.runtime.zombies.snapshot() == ()


def test_one_too_many_is_told_at_once(kit: Kit) -> None:
    kit.runtime.zombies.most = 2
    assert stick(kit, 3) == ["3 stuck threads, more than 2"]
    kit.advance(600.0)


def test_one_too_old_is_told_when_somebody_checks(kit: Kit) -> None:
    kit.runtime.zombies.oldest_s = 60.0
    told = stick(kit, 1)
    kit.advance(59.0)
    kit.runtime.zombies.check()
    assert told == []
    kit.advance(2.0)
    kit.runtime.zombies.check()
    assert told == ["a has been stuck for more than 60 s"]
    kit.advance(600.0)


@pytest.mark.parametrize("most", [0, 5])
def test_without_a_hook_nothing_happens(kit: Kit, most: int) -> None:
    kit.runtime.zombies.most = most
    stick(kit, 1)
    kit.runtime.zombies.on_limit = None
    kit.runtime.zombies.check()
    kit.advance(600.0)
