"""Doctor over the control socket: every workspace tried at once; a room of ``actors/connection.py`` (6.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from actors.base import Answer, Delivery, Failed, Late, Mailbox, Outcome, Runtime
from bxcore.doctor import Check
from bxcore.doctor.honcho_workspaces import untried_check, workspace_check
from bxcore.honcho_health import Health
from bxcore.messages.honcho_probe import Probe, Probed
from bxcore.messages.supervision import StartChild
from bxcore.supervision import ChildSpec
from bxcore.workspaces import Readable


@dataclass(frozen=True, slots=True, kw_only=True)
class Probing:
    """How workspaces are tried: which there are, the supervisor of the probes, and a probe's child spec.

    ``probe(child name, server-side workspace)`` gives the spec of one temporary ``HonchoProbe``.
    """

    readable: tuple[Readable, ...]
    asks: Mailbox
    probe: Callable[[str, str], ChildSpec]

    def begin(self, runtime: Runtime, asker: str) -> list[tuple[Mailbox, Probe]]:
        """Start a probe a workspace; whom to ask what. ``asker`` tells its probes from another's.

        Its mailbox is there before the actor, and closes when that one fails to start.
        """
        asks: list[tuple[Mailbox, Probe]] = []
        for place, readable in enumerate(self.readable):
            name = f"{self.asks.name}/{asker.rpartition('/')[2]}.{place}-probe"
            box = runtime.mailbox(name, bound=4)
            child = StartChild(spec=self.probe(name, readable.workspace), mailbox=box)
            if self.asks.tell(child) is not Delivery.ACCEPTED:
                runtime.forget(box)
            asks.append((box, Probe()))
        return asks

    def checks(self, outcomes: Sequence[Outcome]) -> list[Check]:
        """What came of the probes, in the order of the workspaces."""
        return [_check(readable, outcome) for readable, outcome in zip(self.readable, outcomes, strict=True)]


def _check(readable: Readable, outcome: Outcome) -> Check:
    match outcome:
        case Answer(value=Probed() as probed):
            return workspace_check(readable, probed.health, probed.detail, probed.took_ms)
        case Failed(error=error):
            return untried_check(readable, error.sentence)
        case Late():  # the probe itself is told to answer before that; resolving a name is what nothing ends
            return workspace_check(readable, Health.UNREACHABLE, "no answer in time", 0)
        case _:
            raise TypeError(type(outcome).__name__)
