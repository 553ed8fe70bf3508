"""The right to take: it ends with a newer epoch, whatever the old thread does."""

from __future__ import annotations

from typing import Any

from actors.kernel.lease import Lease
from tests.kit.kit import Kit
from tests.kit.probe import take


def test_an_old_lease_gets_nothing_more(kit: Kit) -> None:
    box = kit.runtime.mailbox("box")
    old = Lease(box)
    box.tell("work")
    new = Lease(box)
    assert type(take(old)).__name__ == "Fenced"
    assert not old.current
    assert new.current
    assert take(new) == "work"
    box.close()


def test_a_waiting_zombie_wakes_and_the_new_incarnation_still_hears_of_mail(kit: Kit) -> None:
    """Two waiters on one mailbox: the old one that leaves must not take the new one's wake-up with it."""
    box = kit.runtime.mailbox("box")
    taken: list[tuple[str, Any]] = []

    def take_one(who: str) -> None:
        lease = Lease(box)
        taken.append((who, take(lease)))

    kit.world.spawn("old", lambda: take_one("old"))
    kit.settle()
    kit.world.spawn("new", lambda: take_one("new"))
    kit.settle()
    box.tell("work")
    kit.settle()
    assert [who for who, _ in taken] == ["old", "new"]
    assert taken[1] == ("new", "work")
    box.close()


def test_a_timer_message_of_an_earlier_incarnation_is_dropped_without_a_word(kit: Kit) -> None:
    box = kit.runtime.mailbox("box")
    old = Lease(box)
    old.timers.add(0.0, "old timer")
    box.tell("work")
    assert take(old) == "work"
    new = Lease(box)
    box.tell("more")
    assert take(new) == "more"
    box.close()
    assert kit.letters.unread() == ()
