"""What a set of grants is, in lines: how many for which tools, which have expired, which files are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from bxcore.grants import Grant

_NAMED = 5
"""Files that one line names."""


def counted(grants: Sequence[Grant]) -> str:
    """Count them: ``3 grants of yours: 2 for read_file, 1 for shell``; there is one at least."""
    tools = sorted(Counter(grant.tool for grant in grants).items())
    count = "1 grant" if len(grants) == 1 else f"{len(grants)} grants"
    return f"{count} of yours: {', '.join(f'{number} for {tool}' for tool, number in tools)}"


def expired(grants: Iterable[Grant], folder: Path, now: datetime) -> Iterator[str]:
    """A line for each that is no grant any more; ``now`` has a time zone."""
    for grant in grants:
        if grant.expires is not None and grant.expired(now):
            yield (
                f"{folder / grant.id}.toml: warning: this grant has expired, at {grant.expires.isoformat()}; "
                "write a later time or remove the file"
            )


def left_over(folder: Path) -> str | None:
    """A line about the files of the folder that are not read for their names; None for none."""
    try:
        names = sorted(file.name for file in folder.iterdir() if file.is_file())
    except OSError:
        return None
    names = [name for name in names if not name.lower().endswith(".toml") and not name.startswith(".")]
    if not names:
        return None
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    no_grants = "is no grant, its name does" if len(names) == 1 else "are no grants, their names do"
    return f"{', '.join(names[:_NAMED])}{more} in {folder} {no_grants} not end in .toml"
