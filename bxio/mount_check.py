"""Which host folders a sandbox may be given, looked at when the call runs (spec 2.5; symlinks, sockets).

A grant was checked when it was loaded; what its folder is by now may be another thing. A link as the folder
itself is followed once, to its real path, and that one is judged and mounted, if it is still the one that the
owner had when the grant was loaded. Links inside a mounted folder
are followed inside the sandbox only, where nothing else is mounted.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bxcore.errors import system_reason
from bxcore.grants.folders import NEVER_BELOW, WORK, below, meets
from bxcore.sandbox import Mount, SandboxError
from bxcore.sandbox.mount_table import same_files
from bxio.mounted import mounted
from bxio.socket_search import socket_in


def granted(leads: Mapping[str, str], *, read_only: bool, own: Sequence[Path]) -> tuple[Mount, ...]:
    """The mounts of a grant's folders, each at its own path.

    ``leads`` says of each folder where it led when the grant was loaded; ``own`` are the box's folders
    (configuration, state, run, cache). Raises ``SandboxError`` for a folder that is missing, leads elsewhere
    now, holds one of ``own`` or lies in it, is the system's, or holds a socket.
    """
    return tuple(_mount(*each, read_only=read_only, own=own) for each in leads.items())


def _mount(folder: str, led: str, *, read_only: bool, own: Sequence[Path]) -> Mount:
    real = _real_folder(folder)
    problem = next(_problems(folder, real, own), None)
    if problem is None and str(real) != led:
        problem = (
            f"the folder {folder} led to {led} when the grant was loaded and leads to {real} now; "
            "look, then bxctl grants reload"
        )
    if problem is not None:
        raise SandboxError(problem)
    return Mount(source=str(real), target=folder, read_only=read_only)


def _real_folder(folder: str) -> Path:
    try:
        real = Path(folder).resolve(strict=True)
        mode = real.stat().st_mode
    except FileNotFoundError:
        raise SandboxError(
            f"the folder {folder} of the grant is not there; make it or change the grant"
        ) from None
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        reason = system_reason(error) if isinstance(error, OSError) else "its links lead in a circle"
        raise SandboxError(f"the folder {folder} of the grant cannot be used: {reason}") from None
    if not stat.S_ISDIR(mode):
        raise SandboxError(f"{folder} of the grant is no folder; name the folder that holds it")
    return real


def _problems(folder: str, real: Path, own: Sequence[Path]) -> Iterator[str]:
    named = folder if str(real) == folder else f"{folder} (really {real})"
    if str(real) == "/" or any(below(str(real), kernel) for kernel in NEVER_BELOW):
        yield f"the folder {named} is the system's own; grant a folder below it that holds files only"
    if below(folder, WORK):
        yield f"the folder {named} cannot be shown to a tool: {WORK} is the session's own; grant another"
    kept = [(mine, str(mine.resolve())) for mine in own]
    for mine, place in kept:
        if meets(str(real), place):
            yield f"the folder {named} holds boxmaker's own files or lies in them ({mine}); grant another"
    mounts = mounted()
    for mine, place in kept:
        if same_files(str(real), place, mounts):
            yield f"the folder {named} is a mount of boxmaker's own files ({mine}); grant another"
    yield from _socket_problem(named, real)


def _socket_problem(named: str, real: Path) -> Iterator[str]:
    """A socket can be spoken to through a folder that is mounted for reading only."""
    try:
        found = socket_in(real)
    except TimeoutError:
        yield f"the folder {named} has too many entries to look through all; grant one below"
    except OSError as error:
        yield f"the folder {named} cannot be looked at: {system_reason(error)}"
    else:
        if found is not None:
            yield f"the folder {named} holds the socket {found!r}, which a tool could speak to; move it away"
