"""The addresses of a name, looked up in a process that a deadline and a cut can end."""

from __future__ import annotations

import contextlib
from ipaddress import ip_address

from bxcore.fetch_target import Address
from bxio.cut import Cut
from bxio.fetch import child
from bxio.fetch.resolve_child import NO_ADDRESS

CHILD = "bxio.fetch.resolve_child"
MAX_ANSWER = 65_536


def look_up(host: str, deadline_s: float, cut: Cut) -> tuple[Address, ...]:
    """Every address of ``host`` in the system's order; none when it has none.

    Raises ``TimeoutError``, and ``child.ChildFailed`` when the look-up itself is broken or was cut.
    """
    said = child.ask(CHILD, f"{host}\n".encode(), deadline_s=deadline_s, cut=cut, cap=MAX_ANSWER).decode()
    found: list[Address] = []
    for text in [] if said == NO_ADDRESS else said.split("\n"):
        with contextlib.suppress(ValueError):
            found.append(ip_address(text))
    return tuple(found)
