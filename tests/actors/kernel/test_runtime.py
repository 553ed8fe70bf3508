"""What outlives every actor: the address book, the tree as last seen, inspection from outside."""

from __future__ import annotations

import pytest

from actors.base import NeverReady
from tests.kit.children import Child, Log
from tests.kit.kit import Kit


def test_a_name_is_one_mailbox_and_the_first_bound_counts_until_another_is_given(kit: Kit) -> None:
    runtime = kit.runtime
    box = runtime.mailbox("memory", bound=4)
    assert runtime.mailbox("memory") is box
    assert box.bound == 4
    assert runtime.mailbox("memory", bound=9).bound == 9
    assert runtime.mailbox("other").bound == 256


def test_a_forgotten_name_is_a_new_mailbox_next_time(kit: Kit) -> None:
    box = kit.runtime.mailbox("memory")
    kit.runtime.forget(box)
    assert box.closed
    assert kit.runtime.mailbox("memory") is not box
    kit.runtime.forget(box)
    assert not kit.runtime.mailbox("memory").closed


def test_an_actor_without_a_supervisor_closes_its_mailbox_when_it_ends(kit: Kit) -> None:
    box = kit.start("a", lambda context: Child(context, Log()))
    kit.crash("a")
    kit.settle()
    assert box.closed
    assert kit.start("a", lambda context: Child(context, Log())).call("there again", 1.0) == "there again"


def test_a_failed_or_slow_start_says_so(kit: Kit) -> None:
    log = Log(failing_starts={"a": 1}, slow={("start", "b"): 60.0})
    with pytest.raises(NeverReady, match=r"^a failed at its start \(OSError\)$"):
        kit.start("a", lambda context: Child(context, log))
    with pytest.raises(NeverReady, match=r"^b was not ready within 5.0 s$"):
        kit.start("b", lambda context: Child(context, log))
    kit.advance(60.0)
