"""The kernel's list of mounted file systems: what is mounted below a folder, and where a folder comes from.

Its lines are those of ``/proc/self/mountinfo`` (proc(5)).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from bxcore.grants.folders import below, meets

_LEAST = 5
_ESCAPED = re.compile(r"\\([0-7]{3})")


class Mounted(NamedTuple):
    """One mount: its number and its parent's, its device, its root in there, and where it stands."""

    number: int
    parent: int
    device: str
    root: str
    point: str


class Origin(NamedTuple):
    """Where a folder's files really are: on which device, and by which path there."""

    device: str
    path: str


def table(text: str) -> tuple[Mounted, ...]:
    """The mounts of the list that a path still leads to, in its order.

    One is out of sight when a later one stands over a folder above it.
    """
    mounts = tuple(_read(text))
    by_number = {mount.number: mount for mount in mounts}
    beside: dict[int, set[str]] = {}
    for mount in mounts:
        if mount.number != mount.parent:  # the first of all is its own
            beside.setdefault(mount.parent, set()).add(mount.point)
    return tuple(mount for mount in mounts if not _covered(mount, by_number, beside))


def points_in(folder: str, mounts: Sequence[Mounted]) -> tuple[str, ...]:
    """Where something is mounted in ``folder``, a real path; the folder itself is none of them."""
    return tuple(sorted({m.point for m in mounts if m.point != folder and below(m.point, folder)}))


def origin(folder: str, mounts: Sequence[Mounted]) -> Origin | None:
    """Where the files of ``folder``, a real path, are; None when the list does not say."""
    over = [mount for mount in mounts if below(folder, mount.point)]
    if not over:
        return None
    longest = max(len(mount.point) for mount in over)
    nearest = [mount for mount in over if len(mount.point) == longest][-1]
    rest = folder[len(nearest.point.rstrip("/")) :]
    return Origin(nearest.device, f"{nearest.root.rstrip('/')}{rest}".rstrip("/") or "/")


def same_files(one: str, other: str, mounts: Sequence[Mounted]) -> bool:
    """Whether one of two folders is the other or lies in it on their device, whatever their paths are."""
    first, second = origin(one, mounts), origin(other, mounts)
    if first is None or second is None:
        return False
    return first.device == second.device and meets(first.path, second.path)


def _read(text: str) -> Iterator[Mounted]:
    for line in text.split("\n"):
        words = line.split(" ")
        if len(words) > _LEAST:
            number, parent, device, root, point = words[:_LEAST]
            yield Mounted(int(number), int(parent), device, _plain(root), _plain(point))


def _plain(written: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)), written)


def _covered(mount: Mounted, by_number: Mapping[int, Mounted], beside: Mapping[int, set[str]]) -> bool:
    """Whether a mount of the same parent, or of a parent of that, stands over a folder above it."""
    seen: set[int] = set()
    while mount.number not in seen:
        seen.add(mount.number)
        above = map(str, PurePosixPath(mount.point).parents)
        if any(folder in beside.get(mount.parent, ()) for folder in above):
            return True
        mount = by_number.get(mount.parent, mount)
    return False
