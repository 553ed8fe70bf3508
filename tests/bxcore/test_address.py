"""The kernel's mailbox is an address as the pure core knows it."""

from __future__ import annotations

from actors.base import Mailbox, RealWorld
from actors.kernel.dead_letters import DeadLetters
from bxcore.address import Address, Delivery


def test_a_mailbox_is_an_address() -> None:
    world = RealWorld()
    box = Mailbox("name", world, DeadLetters(world))
    address: Address[str] = box
    assert address.tell("hello") is Delivery.ACCEPTED
    assert address.name == "name"
