"""What a connection may read without asking an actor; a room of ``actors/connection.py`` (spec 6.3)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, assert_never

from actors.base import Mailbox, NodeView, Outcome, Runtime
from actors.connection_audit import audit_check
from actors.connection_chats import ChatPlaces
from actors.connection_doctor import Probing
from bxcore.control import ErrorCode, requests
from bxcore.control.answers import DoctorJson
from bxcore.control.routes import PROTOCOL
from bxcore.control.views import (
    Fact,
    Process,
    actor_json,
    dead_letters_json,
    node_json,
    parent_of,
    stack_json,
    status_json,
    walk,
)
from bxcore.did_you_mean import hint
from bxcore.doctor import Check, check_json, honcho_check
from bxcore.messages.honcho_probe import Probe
from bxcore.version import VERSION
from bxcore.waits import Waits

INSPECT_S = 1.0
"""How long an actor has to show its counters before it is looked at from outside."""

Wish: TypeAlias = requests.RestartRequest | requests.StopRequest | requests.StartRequest
"""What an operator may want of an actor's supervisor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Whom a connection may ask, and what it may read without asking."""

    runtime: Runtime
    loop: Mailbox
    memory: Mailbox
    broker: Mailbox
    outbox: Mailbox
    audit_path: Path
    """The audit's file, which is read beside its writer."""
    started_s: float
    """When the process began, on the runtime's monotonic clock."""
    facts: Callable[[], Iterable[Fact]]
    """Lines of status that the tree does not show. Any thread, must not block."""
    doctor: Callable[[], Iterable[Check]]
    """What is known of the box's health. Any thread, must not block."""
    waits: Waits
    chats: ChatPlaces
    """What all connections of the process share."""
    probing: Probing | None = None
    """How doctor tries the workspaces; it leaves them alone when it is None."""
    owner: str | None = None
    """Who speaks in OpenAI's interface where no header names another."""
    door: str = "control"
    """The actor that lets the clients in."""

    def seen(
        self,
        request: requests.StatusRequest
        | requests.TreeRequest
        | requests.DeadLettersRequest
        | requests.VersionRequest,
    ) -> object:
        """What can be read at once."""
        runtime = self.runtime
        match request:
            case requests.StatusRequest():
                return status_json(runtime.tree(), list(self.facts()), self._process())
            case requests.TreeRequest():
                return [node_json(node, runtime.world.wall()) for node in runtime.tree()]
            case requests.DeadLettersRequest():
                letters = runtime.dead_letters
                counts = {(address, str(why)): number for (address, why), number in letters.counts().items()}
                return dead_letters_json(counts, letters.snapshot(), request.limit)
            case requests.VersionRequest():
                return {"version": VERSION, "protocol": PROTOCOL}
            case _:
                assert_never(request)

    def probes(self, asker: str) -> list[tuple[Mailbox, Probe]]:
        """Start a probe of each workspace; whom to ask what."""
        return [] if self.probing is None else self.probing.begin(self.runtime, asker)

    def examined(self, outcomes: Sequence[Outcome] = ()) -> DoctorJson:
        """All that this process knows of its own health; ``outcomes`` are what came of ``probes``."""
        tried = [] if self.probing is None else self.probing.checks(outcomes)
        checks = [*self.doctor(), self._honcho(), *tried, audit_check(self.audit_path)]
        return {"checks": [check_json(check) for check in checks]}

    def _honcho(self) -> Check:
        """How the way to Honcho does, by what the outbox counts; it is looked at from outside."""
        seen = self.runtime.inspect("outbox", INSPECT_S)
        return honcho_check(None if seen is None else seen.facts)

    def look_at(self, request: requests.InspectRequest | requests.StackRequest) -> object:
        """One actor, None when there is no such name. Its counters come through the urgent lane.

        Of a temporary child that got stuck only its stack is left to look at.
        """
        name = request.name
        node = next((each for each in walk(self.runtime.tree()) if each.child.name == name), None)
        if isinstance(request, requests.StackRequest):
            stuck = self.runtime.stuck_stacks(name)
            known = node is not None or stuck
            return stack_json(name, self.runtime.stack(name) or [], stuck) if known else None
        return None if node is None else actor_json(node, self.runtime.world.wall(), self._details(name))

    def supervisor_of(self, name: str) -> Mailbox | None:
        """Whom to tell a wish about ``name``."""
        parent = parent_of(self.runtime.tree(), name)
        return None if parent is None else self.runtime.mailbox(parent)

    def why_not(self, wish: Wish, name: str, supervisor: str | None) -> tuple[ErrorCode, str] | None:
        """Why nobody is told of a wish about ``name``; ``supervisor`` is that of the asking connection."""
        nodes = self.runtime.tree()
        if any(node.child.name == name for node in nodes):
            return (
                ErrorCode.REFUSED,
                f"{name} is the whole box; restart --all, or end the process {os.getpid()}",
            )
        if parent_of(nodes, name) is None:
            return ErrorCode.NO_SUCH_THING, self.no_actor(name)
        if isinstance(wish, requests.StopRequest) and (
            self.is_above(name, supervisor) or self.is_above(name, self.door)
        ):
            sentence = f"without {name} no command reaches the box, so none could start it again; restart it"
            return ErrorCode.REFUSED, sentence
        return None

    def is_above(self, name: str, supervisor: str | None) -> bool:
        """Whether ``name`` is ``supervisor`` or lies above it."""
        nodes = self.runtime.tree()
        above = supervisor
        while above is not None and above != name:
            above = parent_of(nodes, above)
        return above is not None

    def top_children(self) -> Sequence[tuple[Mailbox, str]]:
        """What each root supervises, in its order, with the root to tell about it."""
        return [
            (self.runtime.mailbox(root.child.name), child.child.name)
            for root in self.runtime.tree()
            for child in root.children
        ]

    def no_actor(self, name: str) -> str:
        """Say that there is no such actor, and which may have been meant."""
        nodes: tuple[NodeView, ...] = self.runtime.tree()
        near = hint(name, [node.child.name for node in walk(nodes)])
        return f"no actor is named {name[:64]!r}{near or '; see bxctl tree'}"

    def _process(self) -> Process:
        runtime = self.runtime
        return Process(
            pid=os.getpid(),
            uptime_s=runtime.world.monotonic() - self.started_s,
            zombies=len(runtime.zombies.snapshot()),
            dead_letters=sum(runtime.dead_letters.counts().values()),
        )

    def _details(self, name: str) -> dict[str, str]:
        seen = self.runtime.inspect(name, INSPECT_S)
        if seen is None:
            return {}
        details = {
            "incarnation": str(seen.incarnation),
            "handled": str(seen.handled),
            "mailbox": f"{seen.mailbox_depth} of {seen.mailbox_bound}",
            "in hand": seen.in_hand or "nothing",
            "replies owed": str(seen.replies_owed),
            "replies awaited": str(seen.replies_awaited),
        }
        return details | {key: str(value) for key, value in seen.facts.items()}
