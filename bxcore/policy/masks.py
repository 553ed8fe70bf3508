"""Which folders no run of a call may see, whatever it is granted (spec 2.2, 2.5).

A path is judged by its name. A link inside a granted folder, or a command that walks through it, reaches what
an explicit no covers by other names; so the denied folders are hidden from the run itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from bxcore.args import READ_FILE, SHELL, WRITE_FILE
from bxcore.grants.grant_set import GrantSet

DENIED_BY: Mapping[str, tuple[str, ...]] = {
    READ_FILE: (READ_FILE,),
    WRITE_FILE: (WRITE_FILE,),
    SHELL: (READ_FILE, WRITE_FILE),
}
"""The tools whose explicit noes hide folders from a tool's runs; a command both reads and writes."""


def masked(tool: str, grants: GrantSet, now: datetime) -> tuple[str, ...]:
    """The folders of the explicit noes in force, sorted; ``now`` has a time zone.

    Where they really are, and which of them lie in a run's folders, is seen when it runs. Where a link led
    when its grant was loaded stays hidden, wherever it leads by then.
    """
    denying = [grant for other in DENIED_BY.get(tool, ()) for grant in grants.denying(other)]
    in_force = (grant for grant in denying if not grant.expired(now))
    return tuple(sorted({path for grant in in_force for path in (*grant.paths, *grant.real_paths)}))
