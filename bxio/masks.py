"""Where in a run's folders the denied ones are, looked at when the call runs (spec 2.5; symlinks).

An empty folder is mounted over each. So that a command cannot move one away by a folder above it, and find it
bare in its next run, each folder on the way to it is a mount of its own: the kernel renames no mount.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bxcore.errors import system_reason
from bxcore.grants.folders import below
from bxcore.sandbox import Mount, SandboxError


def masks(denied: Iterable[str], mounts: Sequence[Mount]) -> tuple[str, ...]:
    """The folders to hide, as the sandbox sees them, none inside another; ``mounts`` have real sources.

    Raises ``SandboxError`` for a denied folder that should be in one of them and is not there.
    """
    places = {place for folder in denied for mount in mounts for place in _places(folder, mount)}
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
