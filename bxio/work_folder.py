"""A session's work folder: the one place where its tools may write without a grant's folder (spec 2.5)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from bxcore import session_ids
from bxcore.errors import system_reason
from bxcore.sandbox import Mount, SandboxError
from bxcore.sandbox.jobs import WORK

SANDBOX_ID = 1000
"""User and group of whatever runs in a sandbox that root has started."""


def work_folder(work: Path, session: str, *, writable: bool) -> Mount:
    """Make ``work/session`` when it is missing, private (0700) and the sandbox user's own; its mount.

    ``work`` itself stays ours alone. Raises ``SandboxError``, for a name that no session has, too, and for a
    folder that is a link by now.
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
    except OSError as error:
        raise SandboxError(
            f"the session's work folder {folder} cannot be used: {system_reason(error)}"
        ) from None
    return Mount(source=str(source), target=WORK, read_only=not writable)


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
