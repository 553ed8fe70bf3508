"""Whether somebody else talks to the box that this command started, and the wait for their end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator

from bxcore.control.answers import NodeJson
from bxcore.control.requests import TreeRequest
from bxctl.errors import CommandError
from bxctl.printing import talk
from bxctl.wire import Wire

WAIT_S = 600.0
"""After so long the box stops under them all the same."""
_PAUSE_S = 0.05
_ANSWER_S = 5.0
_LOOKS_UNTIL_SAID = 2
_LOOKS_ALONE = 2
"""Two turns of one client have a moment between them, and two connections."""
_CONNECTIONS = "connections"


def wait_for_others(wire: Wire) -> None:
    """Return when no turn of another client runs and none watches, after ``WAIT_S``, or at Ctrl-C.

    A connection that two looks have seen is another client's: the one that asked the first time has ended.
    """
    until_s, pause, before = time.monotonic() + WAIT_S, threading.Event(), _connections(wire)
    shared = alone = 0
    try:
        while alone < _LOOKS_ALONE and time.monotonic() < until_s:
            pause.wait(_PAUSE_S)
            there = _connections(wire)
            shared, alone = (shared + 1, 0) if before & there else (shared, alone + 1)
            before = there
            if shared == _LOOKS_UNTIL_SAID and not alone:
                talk("another chat is in this box, which stops when that has left; Ctrl-C stops it now")
    except KeyboardInterrupt:
        return


def _connections(wire: Wire) -> set[str]:
    """The names of the connections, the asking one perhaps among them."""
    try:
        roots: list[NodeJson] = wire.call(TreeRequest(), _ANSWER_S)
    except CommandError:  # it has ended, or is in no state to have turns
        return set()
    return {
        below["name"] for node in _walk(roots) if node["name"] == _CONNECTIONS for below in node["children"]
    }


def _walk(nodes: Iterable[NodeJson]) -> Iterator[NodeJson]:
    for node in nodes:
        yield node
        yield from _walk(node["children"])
