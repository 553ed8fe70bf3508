"""The supervisor of the short-lived actors that ask a Honcho, spoken to as the memory does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from actors.base import Mailbox, Reply, Runtime
from actors.honcho_errand import HonchoErrand
from actors.supervising import Supervisor
from bxcore.messages.supervision import StartChild
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from bxio.honcho import HonchoClient, HonchoServer

MOST = 64
"""Actors that may run at once."""


@dataclass
class Asks:
    """Starts one actor of a kind a server, and remembers their mailboxes."""

    runtime: Runtime
    supervisor: Mailbox
    kind: Callable[..., HonchoErrand[Any]]
    boxes: list[Mailbox] = field(default_factory=list)

    @classmethod
    def begun(cls, runtime: Runtime, kind: Callable[..., HonchoErrand[Any]]) -> Self:
        """Start the supervisor."""
        spec = SupervisorSpec(max_children=MOST)
        return cls(runtime, runtime.start("asks", lambda context: Supervisor(context, spec)), kind)

    def start(self, server: HonchoServer) -> Mailbox:
        """Start an actor for the workspace ``w``."""
        name = f"asks/{len(self.boxes)}-own"
        box = self.runtime.mailbox(name, bound=4)
        self.boxes.append(box)
        make = partial(self.kind, client=HonchoClient(server), workspace="w")
        spec = ChildSpec(name=name, start=make, restart=Restart.TEMPORARY)
        self.supervisor.tell(StartChild(spec=spec, mailbox=box))
        return box

    def ask(self, server: HonchoServer, message: object, deadline_s: float) -> Reply:
        """Start an actor and ask it."""
        return self.start(server).ask(message, deadline_s)

    def all_ended(self) -> bool:
        """Whether every one of them ends by itself, soon."""
        return until(lambda: all(box.closed for box in self.boxes))


def until(holds: Callable[[], bool]) -> bool:
    """Look every few milliseconds until it holds, or for ten seconds."""
    deadline_s = time.monotonic() + 10
    pause = threading.Event()
    while not holds():
        if time.monotonic() > deadline_s:
            return False
        pause.wait(0.005)
    return True
