"""What in a run's folders is hidden from it, looked at when the call runs (spec 2.5; symlinks).

It is the denied folders, and whatever else is mounted below a granted one: nobody granted another file
system, and one mounted there may be anything, the box's own folders among them.

An empty folder is mounted over each. So that a command cannot move one away by a folder above it, and find it
bare in its next run, each folder on the way to it is a mount of its own: the kernel renames no mount.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bxcore.errors import system_reason
from bxcore.grants.folders import below
from bxcore.sandbox import Mount, SandboxError
from bxcore.sandbox.mount_table import Mounted, points_in


def masks(denied: Iterable[str], mounts: Sequence[Mount], mounted: Sequence[Mounted]) -> tuple[str, ...]:
    """The folders to hide, as the sandbox sees them, none inside another; ``mounts`` have real sources.

    ``mounted`` is what is mounted on this machine. Raises ``SandboxError`` for a denied folder that should
    be in one of ``mounts`` and is not there, and for a file in one that is mounted by itself.
    """
    places = {place for folder in denied for mount in mounts for place in _places(folder, mount)}
    places |= {place for mount in mounts for place in _other_systems(mount, mounted)}
    return tuple(sorted(each for each in places if not any(_inside(each, other) for other in places)))


def pins(masked: Iterable[str], mounts: Sequence[Mount]) -> tuple[Mount, ...]:
    """A mount for each folder between a mount that can be written and what is hidden in it."""
    made = {pin.target: pin for place in masked for mount in mounts for pin in _pins(place, mount)}
    return tuple(made[target] for target in sorted(made))


def _places(folder: str, mount: Mount) -> Iterator[str]:
    real, source = _real(folder), Path(mount.source)
    if below(str(source), str(real)):
        yield mount.target
    elif below(str(real), str(source)):
        if not real.is_dir():
            raise SandboxError(
                f"the folder {folder}, which a grant denies, is not there; make it or change that grant"
            )
        yield str(Path(mount.target, real.relative_to(source)))


def _other_systems(mount: Mount, mounted: Sequence[Mounted]) -> Iterator[str]:
    for point in points_in(mount.source, mounted):
        if _is_file(Path(point)):
            raise SandboxError(
                f"{point} in the folder {mount.source} is a file mounted by itself, which cannot be hidden; "
                "unmount it, or grant another folder"
            )
        yield str(Path(mount.target, Path(point).relative_to(mount.source)))


def _is_file(point: Path) -> bool:
    """Told by its folder: a look at what is mounted there would hang where its server is gone."""
    try:
        with os.scandir(point.parent) as entries:
            return any(entry.name == point.name and entry.is_file(follow_symlinks=False) for entry in entries)
    except OSError:
        return False


def _real(folder: str) -> Path:
    try:
        return Path(folder).resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        reason = system_reason(error) if isinstance(error, OSError) else "its links lead in a circle"
        raise SandboxError(
            f"the folder {folder}, which a grant denies, cannot be looked at: {reason}"
        ) from None


def _pins(place: str, mount: Mount) -> Iterator[Mount]:
    if mount.read_only or not _inside(place, mount.target):
        return
    for parent in Path(place).relative_to(mount.target).parents[:-1]:
        source, target = Path(mount.source, parent), Path(mount.target, parent)
        yield Mount(source=str(source), target=str(target), read_only=False)


def _inside(place: str, folder: str) -> bool:
    return place != folder and below(place, folder)
