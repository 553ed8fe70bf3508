"""A session's work folder: the one place where its tools may write without a grant's folder (spec 2.5)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from bxcore import session_ids
from bxcore.errors import system_reason
from bxcore.grants.folders import WORK
from bxcore.sandbox import Mount, SandboxError

SANDBOX_ID = 1000
"""User and group of whatever runs in a sandbox that root has started."""
LEAST_FREE_MB = 64
"""Of the box's disk, which its logs need: below it no tool may write to its work folder."""
_MB = 1 << 20


def work_folder(work: Path, session: str, *, writable: bool) -> Mount:
    """Make ``work/session`` when it is missing, private (0700) and the sandbox user's own; its mount.

    ``work`` itself stays ours alone. Raises ``SandboxError``, for a name that no session has, too, for a
    folder that is a link by now, and for a writable one on a disk that is nearly full.
    """
    problem = session_ids.problem(session)
    if problem is not None:
        raise SandboxError(problem)
    folder = work / session
    try:
        work.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        _make_its_own(folder)
        source = folder.parent.resolve(strict=True) / folder.name
        free_mb = _free_mb(source)
    except OSError as error:
        raise SandboxError(
            f"the session's work folder {folder} cannot be used: {system_reason(error)}"
        ) from None
    if writable and free_mb < LEAST_FREE_MB:
        raise SandboxError(
            f"the disk of the box has {free_mb} MB left, so tools may not write; free some space"
        )
    return Mount(source=str(source), target=WORK, read_only=not writable)


def _free_mb(folder: Path) -> int:
    """Whole megabytes of 2^20 bytes that anybody may still use."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize // _MB


def _make_its_own(folder: Path) -> None:
    """Only through a descriptor of the folder itself: what stands there may have been put there by a tool."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if os.geteuid() == 0 and (found.st_uid, found.st_gid) != (SANDBOX_ID, SANDBOX_ID):
            os.fchown(descriptor, SANDBOX_ID, SANDBOX_ID)
        if stat.S_IMODE(found.st_mode) != 0o700:  # noqa: PLR2004 (a mode)
            os.fchmod(descriptor, 0o700)
    finally:
        os.close(descriptor)
