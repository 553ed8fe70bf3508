"""What the rules have found out about a call so far, each for those after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from bxcore.args import Args
from bxcore.grants.grant import Grant, Mode, WhenUntrusted
from bxcore.grants.grant_set import GrantSet
from bxcore.labels import OWN_WORDS, Label
from bxcore.policy.call import Call
from bxcore.policy.destination import NOWHERE, Destination

SHOWN = 5
"""Grants that a step names; of more it tells the number."""


class Finding(NamedTuple):
    """What a rule found, for the owner; ``sentence`` is its objection, for the model."""

    found: str
    sentence: str | None = None


@dataclass(slots=True)
class Facts:
    """What is known so far; what is not yet known is empty.

    ``in_force`` are the tool's grants that are not expired, ``touching`` those of them whose caution counts,
    ``covering`` those that permit the call by its destination, and ``applying`` by the session's class too.
    """

    call: Call
    grants: GrantSet
    now: datetime
    args: Args | None = None
    canonical: str | None = None
    destination: Destination = NOWHERE
    in_force: tuple[Grant, ...] = ()
    covering: tuple[Grant, ...] = ()
    touching: tuple[Grant, ...] = ()
    applying: tuple[Grant, ...] = ()
    decided_by: Grant | None = None
    why: str | None = None
    floor: Label = OWN_WORDS

    def mode(self, grant: Grant, *, named: bool) -> Mode:
        """A grant's mode in this session; ``named`` is whether the owner's message names the destination."""
        if grant.mode is Mode.DENY or not self.call.state.untrusted:
            return grant.mode
        match grant.when_untrusted:
            case WhenUntrusted.DENY:
                return Mode.DENY
            case WhenUntrusted.ASK:
                return Mode.ASK
            case WhenUntrusted.NAMED:
                return grant.mode if named else Mode.ASK
            case WhenUntrusted.ALLOW:
                return grant.mode

    def is_named(self) -> bool:
        """Whether the owner's own message of this turn names the destination."""
        return self.call.said is not None and self.destination.named(self.call.said)


def ids(grants: Sequence[Grant]) -> str:
    """The grants' ids in words."""
    shown = ", ".join(grant.id for grant in grants[:SHOWN])
    more = len(grants) - SHOWN
    return f"{shown} and {more} more" if more > 0 else shown or "none"
