"""What every run of one service has in common, looked at once when the backend is made."""

from __future__ import annotations

import os
import resource
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bxcore.errors import system_reason
from bxcore.sandbox import Job, SandboxError
from bxcore.sandbox.podman_payload import OPEN_FILES, PROCESSES, Ceiling, Payload, Place, payload
from bxcore.sandbox.tool_user import ToolUser, tool_user


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A service and what is run in it.

    ``socket`` is the service's; ``image`` the id that ``image_name`` had at the start, so that a name that is
    moved meanwhile changes nothing; ``box`` is our containers' label; ``facts`` is what podman says.
    """

    socket: Path
    image: str
    image_name: str
    box: str
    rootless: bool
    cgroups: str
    controllers: frozenset[str]
    facts: Mapping[str, str]


def created_from(site: Site, job: Job) -> Payload:
    """The create payload of one run, under a new name. Raises ``SandboxError`` for a mount that is gone."""
    return payload(
        job,
        Place(
            image=site.image,
            name=f"boxmaker-{site.box}-{secrets.token_hex(8)}",
            box=site.box,
            user=_user(site, job),
            ceiling=_ceiling(),
            controllers=site.controllers,
        ),
    )


def _user(site: Site, job: Job) -> ToolUser:
    own = (os.geteuid(), os.getegid())
    return tool_user(own, rootless=site.rootless, owner=_owner(job))


def _owner(job: Job) -> tuple[int, int] | None:
    """Whose the first mounted folder is. Every source is a real folder: podman would follow a link."""
    owners = []
    for mount in job.mounts:
        try:
            found = Path(mount.source).stat()
        except OSError as error:
            raise SandboxError(
                f"the folder {mount.source} cannot be mounted: {system_reason(error)}"
            ) from None
        if os.path.realpath(mount.source) != mount.source:
            raise SandboxError(f"the folder {mount.source} is or lies behind a link; name the folder itself")
        owners.append((found.st_uid, found.st_gid))
    return owners[0] if owners else None


def _ceiling() -> Ceiling:
    """Our own hard limits: podman has the same, and without a capability of its own it may not go beyond."""
    return Ceiling(
        open_files=_hard(resource.RLIMIT_NOFILE, OPEN_FILES),
        processes=_hard(resource.RLIMIT_NPROC, PROCESSES),
    )


def _hard(kind: int, most: int) -> int:
    hard = resource.getrlimit(kind)[1]
    return most if hard == resource.RLIM_INFINITY else hard
