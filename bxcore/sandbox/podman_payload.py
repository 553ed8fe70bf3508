"""What podman is told to create for one job: the one place where it is said (spec 2.5).

The names are those of libpod's own interface. Each value that keeps a tool in is written out, also where it
is podman's default, because a ``containers.conf`` may have changed the default; ``podman_readback`` compares
what podman made of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from bxcore.sandbox.job import LARGEST_FILE, Job, Limits, Mount
from bxcore.sandbox.tool_user import ToolUser

Payload: TypeAlias = dict[str, Any]
"""A JSON object as libpod's ``POST /containers/create`` takes it."""

LABEL, BOX_LABEL, JOB_LABEL = "boxmaker", "boxmaker.box", "boxmaker.job"
"""``boxmaker=1`` marks every container of ours; the other two say which box's and which call's it is."""

BACKSTOP_S = 5
"""How long after our own limit podman ends a container by itself, when nobody is left to do it."""
OPEN_FILES = 1024
PROCESSES = 4096
"""Of the tool's user on the whole machine, where podman has root; the job's own count is ``pids``."""
LEAST_DATA = 128 << 20
"""Bytes; a runtime's own first process does not start with less."""
TMP_MB = 64
MASK_BYTES = 4096
SHARED_MEMORY_BYTES = 16 << 20
_MB = 1 << 20

ENVIRONMENT: Mapping[str, str] = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/tmp",  # noqa: S108 - inside the sandbox, a file system of its own
    "TERM": "none",
    "LANG": "C.UTF-8",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The most of each that this machine lets anybody set: hard limits of the process that starts podman."""

    open_files: int = OPEN_FILES
    processes: int = PROCESSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a job runs in: the image's id, the container's name, the box's label, whom it runs as.

    ``controllers`` are the control groups' that podman has. A limit without one is not asked for: podman
    would say nothing and set none. The probe finds that it does not hold.
    """

    image: str
    name: str
    box: str
    user: ToolUser
    ceiling: Ceiling = Ceiling()
    controllers: frozenset[str] = frozenset({"memory", "pids"})


def payload(job: Job, place: Place) -> Payload:
    """Describe the container of ``job``: no network, no capability, no write but to its mounts and /tmp."""
    return {
        **_whose(job, place),
        **_what(job),
        **_kept_in(place.user),
        **_limited(job.limits, place),
        "mounts": [*_temporary(job), *map(_bind, job.mounts), *map(_mask, job.masked)],
    }


def _whose(job: Job, place: Place) -> Payload:
    return {
        "name": place.name,
        "image": place.image,
        "labels": {LABEL: "1", BOX_LABEL: place.box, JOB_LABEL: job.name},
        "user": str(place.user),
        **({"userns": {"nsmode": "keep-id"}} if place.user.mapped else {}),
    }


def _what(job: Job) -> Payload:
    return {
        "entrypoint": [],
        "command": list(job.command),
        "work_dir": job.workdir,
        "stdin": job.stdin is not None,
        "terminal": False,
        "unsetenvall": True,
        "env": dict(ENVIRONMENT),
        "httpproxy": False,
        "hostname": "sandbox",
        "init": False,
        "systemd": "false",
        "sdnotifyMode": "ignore",
        "log_configuration": {"driver": "none"},
    }


def _kept_in(user: ToolUser) -> Payload:
    """A mapped user's control groups are podman's own to choose: it cannot always make new ones there."""
    private = {"nsmode": "private"}
    return {
        "privileged": False,
        "cap_drop": ["all"],
        "no_new_privileges": True,
        "read_only_filesystem": True,
        "read_write_tmpfs": False,
        "image_volume_mode": "ignore",
        "use_image_hosts": True,  # else it sees the host's names and resolvers
        "use_image_resolve_conf": True,
        "netns": {"nsmode": "none"},
        "pidns": private,
        "ipcns": private,
        "utsns": private,
        **({} if user.mapped else {"cgroupns": private}),
    }


def _limited(limits: Limits, place: Place) -> Payload:
    memory = limits.memory_mb * _MB
    processes = limits.pids if place.user.mapped else PROCESSES
    groups = {"memory": {"limit": memory, "swap": memory}, "pids": {"limit": limits.pids}}
    return {
        "timeout": math.ceil(limits.time_s) + BACKSTOP_S,
        "stop_timeout": 0,
        "shm_size": SHARED_MEMORY_BYTES,
        "resource_limits": {name: limit for name, limit in groups.items() if name in place.controllers},
        "r_limits": [
            _ulimit("nofile", min(OPEN_FILES, place.ceiling.open_files)),
            _ulimit("nproc", min(processes, place.ceiling.processes)),
            _ulimit("fsize", LARGEST_FILE),
            _ulimit("core", 0),
            *([] if "memory" in place.controllers else [_ulimit("data", max(LEAST_DATA, memory))]),
        ],
    }


def _ulimit(name: str, most: int) -> Payload:
    return {"type": name, "soft": most, "hard": most}


def _temporary(job: Job) -> list[Payload]:
    """A /tmp, unless a folder is mounted there. Its bytes count as memory, so it is half of it at most."""
    size = min(TMP_MB, max(1, job.limits.memory_mb // 2))
    made = {
        "type": "tmpfs",
        "source": "tmpfs",
        "destination": ENVIRONMENT["HOME"],
        "options": [f"size={size}m", "mode=1777", "nosuid", "nodev"],
    }
    return [] if any(mount.target == made["destination"] for mount in job.mounts) else [made]


def _mask(folder: str) -> Payload:
    """Empty: podman would copy into it what lies below, unless told not to."""
    return {
        "type": "tmpfs",
        "source": "tmpfs",
        "destination": folder,
        "options": ["ro", "notmpcopyup", f"size={MASK_BYTES}", "mode=0555", "nosuid", "nodev", "noexec"],
    }


def _bind(mount: Mount) -> Payload:
    """``bind``, never ``rbind``: a read-only one would leave file systems mounted below it writable."""
    return {
        "type": "bind",
        "source": mount.source,
        "destination": mount.target,
        "options": ["bind", "ro" if mount.read_only else "rw", "rprivate", "nosuid", "nodev"],
    }
