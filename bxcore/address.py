"""What a sender may hold of an actor: its address (spec 5.2)."""

from __future__ import annotations

from enum import Enum
from typing import Protocol, TypeVar

M_contra = TypeVar("M_contra", contravariant=True)


class Delivery(Enum):
    """What became of a told message at the door of its mailbox. A "no" is a value, never an exception."""

    ACCEPTED = "accepted"
    BUSY = "busy"
    CLOSED = "closed"


class Address(Protocol[M_contra]):
    """A name that outlives the actor's incarnations; telling it never raises and never blocks."""

    @property
    def name(self) -> str:
        """The address as the tree shows it, such as ``memory`` or ``loop/k3f``."""

    def tell(self, message: M_contra, *, deadline_s: float | None = None) -> Delivery:
        """Leave a message; past ``deadline_s`` (absolute, monotonic) it is dropped unread and counted."""
