"""Folders inside a folder that a tool may write, where it could put a link in their place (spec 2.5).

What a grant's folder is, is looked at when a call runs. So no folder of a grant may lie where a grant lets
a tool rename, remove and link: another grant, or the same one by another of its folders.
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


def writable(grants: Iterable[Grant]) -> Writable:
    """What ``grants`` let a tool write."""
    found: dict[str, list[str]] = {}
    for grant in grants:
        writes = grant.tool == WRITE_FILE or (grant.tool == SHELL and not grant.read_only)
        if writes and grant.mode is not Mode.DENY:
            for name in {*grant.paths, *grant.real_paths}:
                found.setdefault(name, []).append(grant.id)
    return found


def replaceable(grant: Grant, writes: Writable) -> Iterator[Found]:
    """The folders of ``grant`` that a tool could replace under a grant, this one among them.

    The same folder in both is fine: it is mounted, and the kernel renames no mount. So is one that is denied,
    which is hidden from whatever writes around it, unless a link leads there.
    """
    for place, (path, real) in enumerate(grant.leads.items()):
        outer = _outer((path, real), writes)
        if outer is None:
            continue
        lets = "this same grant" if outer == grant.id else f"the grant {outer}"
        where = f"the folder {path} lies in one that {lets} lets a tool write"
        if grant.mode is not Mode.DENY:
            yield (
                ("paths", place),
                f"{where}, which could put a link in its place; name another",
            )
        elif path != real:
            yield ("paths", place), f"{where}, which could replace the link that it is; name {real}"


def _outer(names: Iterable[str], writes: Writable) -> str | None:
    """A grant that lets a tool write above one of a folder's names."""
    above = {str(folder) for name in names for folder in PurePosixPath(name).parents}
    return min((grant for folder in above for grant in writes.get(folder, ())), default=None)
