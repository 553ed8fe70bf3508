"""Folders inside a folder that a tool may write, where it could put a link in their place (spec 2.5).

What a grant's folder is, is looked at when a call runs. So no folder of a grant may lie where another grant
lets a tool rename, remove and link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TypeAlias

from bxcore.args import SHELL, WRITE_FILE
from bxcore.grants.examples import Found
from bxcore.grants.grant import Grant, Mode

Writable: TypeAlias = Mapping[str, Sequence[str]]
"""The folders that a tool may write, each by its path and by where it really is; the ids of the grants."""


def writable(grants: Iterable[Grant], real: Mapping[str, str]) -> Writable:
    """What ``grants`` let a tool write; ``real`` is where each of their paths is."""
    found: dict[str, list[str]] = {}
    for grant in grants:
        writes = grant.tool == WRITE_FILE or (grant.tool == SHELL and not grant.read_only)
        if writes and grant.mode is not Mode.DENY:
            for name in {name for path in grant.paths for name in (path, real[path])}:
                found.setdefault(name, []).append(grant.id)
    return found


def replaceable(grant: Grant, writes: Writable, real: Mapping[str, str]) -> Iterator[Found]:
    """The folders of ``grant`` that a tool could replace under another grant.

    The same folder in both is fine: it is mounted, and the kernel renames no mount. So is one that is denied,
    which is hidden from whatever writes around it, unless a link leads there.
    """
    for place, path in enumerate(grant.paths):
        outer = _outer(grant.id, (path, real[path]), writes)
        where = f"the folder {path} lies in one that the grant {outer} lets a tool write"
        if outer is None:
            continue
        if grant.mode is not Mode.DENY:
            yield (
                ("paths", place),
                f"{where}, which could put a link in its place; name another",
            )
        elif path != real[path]:
            yield ("paths", place), f"{where}, which could replace the link that it is; name {real[path]}"


def _outer(own: str, names: Iterable[str], writes: Writable) -> str | None:
    """Another grant that lets a tool write above one of a folder's names."""
    above = {str(folder) for name in names for folder in PurePosixPath(name).parents}
    return min((other for folder in above for other in writes.get(folder, ()) if other != own), default=None)
