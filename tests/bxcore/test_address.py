"""The kernel's mailbox is an address as the pure core knows it."""

from __future__ import annotations

from actors.base import Mailbox, RealWorld
from actors.kernel.dead_letters import DeadLetters
from bxcore.address import Address, Answering, Delivery


def test_a_mailbox_is_an_address_and_can_be_asked() -> None:
    world = RealWorld()
    box = Mailbox("name", world, DeadLetters(world))
    address: Address[str] = box
    answering: Answering = box
    assert address.tell("hello") is Delivery.ACCEPTED
    assert answering.name == address.name == "name"
