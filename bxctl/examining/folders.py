"""Doctor's word on the granted folders: whether the user that tools run as may use them (spec 2.5)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from bxcore.args import SHELL, WRITE_FILE
from bxcore.config import Settings
from bxcore.doctor import Check, Verdict
from bxcore.grants import SANDBOXED_TOOLS, Grant, Mode
from bxcore.sandbox.tool_user import ToolUser, refused, tool_user


def folder_checks(grants: Iterable[Grant], settings: Settings | None) -> Iterator[Check]:
    """A warning for each grant with a folder in which its tool can do nothing; this user is the box's."""
    own, by_owner = (os.geteuid(), os.getegid()), _by_owner(settings)
    now = datetime.now(UTC)
    for grant in grants:
        if grant.tool in SANDBOXED_TOOLS and grant.mode is not Mode.DENY and not grant.expired(now):
            yield from _unusable(grant, own, by_owner=by_owner)


def _by_owner(settings: Settings | None) -> bool:
    """Whether a box of root's runs tools as a folder's owner: podman does, bubblewrap has one user."""
    wanted = settings.containers.backend if settings else "auto"
    return wanted != "bubblewrap" and shutil.which("podman") is not None


def _unusable(grant: Grant, own: tuple[int, int], *, by_owner: bool) -> Iterator[Check]:
    writes = grant.tool == WRITE_FILE or (grant.tool == SHELL and not grant.read_only)
    paths = sorted(grant.paths)
    for path in paths:
        try:
            found = Path(path).stat()
            first = Path(paths[0] if grant.tool == SHELL else path).stat()
        except OSError:
            continue  # it is a mistake of the grant's, and told as one
        user = tool_user(own, rootless=own[0] != 0, owner=(first.st_uid, first.st_gid) if by_owner else None)
        cannot = refused(user, owner=(found.st_uid, found.st_gid), mode=found.st_mode, writes=writes)
        if cannot is not None:
            yield _check(grant, path, user, cannot)


def _check(grant: Grant, path: str, user: ToolUser, cannot: str) -> Check:
    return Check(
        name="grants",
        verdict=Verdict.WARN,
        sentence=f"{grant.id}: {grant.tool} runs as user {user.uid} and may not {cannot} {path}",
        help=f"chown -R {user.uid} {path}, or run the box as the folder's owner (no root)",
    )
