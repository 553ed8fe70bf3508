"""What an actor is made of, in one import (spec 5.2); the parts are in ``actors/kernel``."""

from actors.kernel.actor import Actor
from actors.kernel.dead_letters import DeadLetter, DeadLetters, Why
from actors.kernel.errand import Errand
from actors.kernel.errors import (
    Busy,
    CallError,
    Crashed,
    Dead,
    Expired,
    NeverReady,
    NoRoom,
    Refusal,
    Restarting,
    TimedOut,
)
from actors.kernel.inspection import Inspection
from actors.kernel.life import Context
from actors.kernel.mailbox import Mailbox
from actors.kernel.outcome import Answer, Failed, Late, Outcome
from actors.kernel.reply import Reply, gather
from actors.kernel.runtime import Runtime
from actors.kernel.timers import Timer
from actors.kernel.tree_view import ChildView, NodeView, State
from actors.kernel.world import RealWorld, World
from actors.kernel.zombies import Zombie
from bxcore.address import Address, Delivery

__all__ = [
    "Actor",
    "Address",
    "Answer",
    "Busy",
    "CallError",
    "ChildView",
    "Context",
    "Crashed",
    "Dead",
    "DeadLetter",
    "DeadLetters",
    "Delivery",
    "Errand",
    "Expired",
    "Failed",
    "Inspection",
    "Late",
    "Mailbox",
    "NeverReady",
    "NoRoom",
    "NodeView",
    "Outcome",
    "RealWorld",
    "Refusal",
    "Reply",
    "Restarting",
    "Runtime",
    "State",
    "TimedOut",
    "Timer",
    "Why",
    "World",
    "Zombie",
    "gather",
]
