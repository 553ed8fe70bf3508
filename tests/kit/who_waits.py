"""Who waits for whom, read from the stacks of waiting threads."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType

from actors.base import Mailbox, Reply


def waits_for(ident: int) -> tuple[str, str] | None:
    """(how, whom) a thread waits: for a reply of an actor, or for a message to a mailbox."""
    frame: FrameType | None = sys._current_frames().get(ident)
    while frame is not None:
        waiting = frame.f_locals.get("self")
        if isinstance(waiting, Reply):
            return "a reply of", waiting.address
        if isinstance(waiting, Mailbox):
            return "a message to", waiting.name
        frame = frame.f_back
    return None


def circle(names: Mapping[int, str]) -> list[str]:
    """Actors that wait for each other's replies, in order; empty when none do. ``names`` by thread number."""
    asked = {
        name: found[1] for ident, name in names.items() if (found := waits_for(ident)) and "reply" in found[0]
    }
    for first in asked:
        path = [first]
        while (following := asked.get(path[-1])) is not None:
            if following in path:
                return [*path[path.index(following) :], following]
            path.append(following)
    return []


def who_waits(names: Mapping[int, str]) -> str:
    """One line: the circle when there is one, else what each waits for."""
    found = circle(names)
    if found:
        return " waits for ".join(found)
    lines = []
    for ident, name in names.items():
        waiting = waits_for(ident)
        lines.append(f"{name} waits for {' '.join(waiting)}" if waiting else f"{name} waits")
    return "; ".join(lines)
