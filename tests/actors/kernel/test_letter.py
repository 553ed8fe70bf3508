"""The kernel's own orders: no actor sees one, and an unknown one is a bug."""

from __future__ import annotations

from typing import Any

from actors.base import Actor
from actors.kernel.letter import Inspect, Letter, Order, Ping, Piped, PipeDue
from tests.kit.kit import Kit


class Unknown(Order):
    """An order that the kernel does not know."""


def test_no_order_reaches_on_receive(kit: Kit) -> None:
    seen: list[Any] = []

    class Curious(Actor):
        def on_receive(self, message: Any) -> None:
            seen.append(message)

    box = kit.start("curious", Curious)
    for told in (PipeDue(lambda: None), Piped(lambda _: "made", list)):
        box.deliver(Letter(told))
    for asked in (Ping(), Inspect()):
        box.ask_urgent(asked, kit.now() + 1.0).get(1.0)
    assert seen == ["made"]
    assert kit.runtime.stop("curious")


def test_an_unknown_order_is_a_crash(kit: Kit) -> None:
    kit.start("echo", Actor)
    life = kit.runtime.life("echo")
    kit.runtime.mailbox("echo").deliver(Letter(Unknown()))
    kit.settle()
    assert life is not None
    assert (life.reason, life.error) == ("crashed", "TypeError")
