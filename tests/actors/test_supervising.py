"""The root: started whole or not at all, watched, stopped, and its end told once."""

from __future__ import annotations

import pytest

from actors.base import Actor, Context, NeverReady
from actors.supervising import errand, start_root, temporary
from bxcore.supervision import Restart, SupervisorSpec
from tests.kit.children import Log, child, tree_of
from tests.kit.kit import Kit


class Dummy(Actor):
    def on_receive(self, message: object) -> object:
        return message


def test_a_stop_that_was_wanted_is_told_once_without_a_reason(kit: Kit) -> None:
    reasons: list[str | None] = []
    root = kit.tree(tree_of(Log(), "ab"), on_end=reasons.append)
    assert not root.wait(5.0)
    assert root.stop(5.0)
    assert root.stop(5.0)
    assert root.wait(0.0)
    assert (reasons, root.ended, root.error) == ([None], True, None)


def test_giving_up_is_told_with_its_reason_and_wakes_who_waits(kit: Kit) -> None:
    reasons: list[str | None] = []
    root = kit.tree(tree_of(Log(), "ab", intensity=0), on_end=reasons.append)
    kit.crash("a", MemoryError())
    assert root.wait(3600.0)
    assert kit.now() == 0.0
    assert reasons == [root.error] == ["a was the last of 1 restarts within 5 s (MemoryError)"]


def test_a_stop_over_its_time_is_told(kit: Kit) -> None:
    root = kit.tree(SupervisorSpec(children=(child(Log(slow={("stop", "a"): 90.0}), "a", shutdown_s=100.0),)))
    assert not root.stop(5.0)
    kit.advance(100.0)
    root.box.close()


def test_a_start_that_is_no_longer_wanted_is_stopped_again(kit: Kit) -> None:
    log = Log(slow={("start", "b"): 4.0})
    children = (child(log, "a"), child(log, "b", shutdown_s=1.0), child(log, "c"))
    with pytest.raises(NeverReady, match="the start was stopped"):
        start_root(kit.runtime, SupervisorSpec(children=children), still_wanted=lambda: kit.now() < 2.0)
    assert 3.0 <= kit.now() <= 3.2
    assert log.lines[-1] == "stop a"
    assert "start c" not in log.lines
    kit.advance(4.0)


def test_a_tree_can_be_started_again_after_it_has_ended(kit: Kit) -> None:
    for _ in range(2):
        root = kit.tree(tree_of(Log(), "a"))
        assert kit.runtime.mailbox("a").call("hello", 1.0) == "hello"
        assert root.stop(5.0)


def test_a_temporary_child_is_named_when_it_is_wanted_and_never_restarted() -> None:
    spec = temporary(Dummy, shutdown_s=2.0)("runs/1")
    assert (spec.name, spec.restart, spec.shutdown_s) == ("runs/1", Restart.TEMPORARY, 2.0)


def test_an_errand_knows_where_it_is_sent(kit: Kit) -> None:
    sent: list[str] = []

    def start(context: Context, where: str) -> Dummy:
        sent.append(where)
        return Dummy(context)

    spec = errand(start)("asks/1", "fleet")
    assert (spec.name, spec.restart) == ("asks/1", Restart.TEMPORARY)
    kit.start(spec.name, spec.start)
    assert sent == ["fleet"]
