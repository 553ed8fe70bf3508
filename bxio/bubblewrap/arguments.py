"""Bubblewrap's command line for a job, as one list made in one place (spec 2.5)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bxcore.sandbox import Job, Mount
from bxcore.sandbox.job import LARGEST_FILE
from bxio.bubblewrap import leftover
from bxio.bubblewrap.user_namespace import entering
from bxio.work_folder import SANDBOX_ID

PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
ENVIRONMENT = {"PATH": PATH, "HOME": "/tmp", "LANG": "C.UTF-8", "TERM": "dumb", "container": "bubblewrap"}  # noqa: S108
ETC = {
    "passwd": (
        "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"
        f"tool:x:{SANDBOX_ID}:{SANDBOX_ID}:tool:/tmp:/bin/sh\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    ),
    "group": f"root:x:0:\ntool:x:{SANDBOX_ID}:\nnogroup:x:65534:\n",
}
"""Files of ``/etc`` by name; nothing in it tells of the host's users or secrets."""
LINKER_CACHE = "ld.so.cache"
"""The one file of the host's ``/etc`` that its programs need."""
TEMPORARY_BYTES = 64 * 1024 * 1024
"""Of ``/tmp``, and of ``/dev/shm``."""

MASK_BYTES = 4096

_PROGRAMS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Links into ``/usr`` on a merged host, folders of their own on others."""
_DEVICES = ("null", "zero", "full", "random", "urandom")
"""Without a terminal. Each mount takes the kernel about a millisecond, so there is none without need."""
_ALTERNATIVES = "/etc/alternatives"
"""Debian's links from a program's name to one of several; some hosts have none."""
_NAMESPACES = ("pid", "net", "ipc", "uts", "cgroup-try")
_LIMITS = (
    f"ulimit -c 0; ulimit -f {LARGEST_FILE // 512} 2>/dev/null || "
    '[ "$(ulimit -f)" != unlimited ] || exit 125; '
    'ulimit -v "$1" || exit 125; ulimit -p "$2" 2>/dev/null || ulimit -u "$2" || exit 125; '
    'cd "$3" || exit 125; shift 3; exec "$@"'
)
"""Blocks of 512 bytes a file, or fewer where it was less; address space in KiB a process, processes, the
working folder, which bare root cannot enter.

dash and busybox say ``-p`` of processes, bash says ``-u``.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """Where the host's programs are; with ``unshare`` and ``setpriv`` bubblewrap is run as root."""

    bwrap: str
    unshare: str | None = None
    setpriv: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptors:
    """Open descriptors that bubblewrap is handed: its news, a pipe that it alone holds, ``/etc``'s files."""

    status: int
    alive: int
    etc: tuple[tuple[str, int], ...]

    def all(self) -> tuple[int, ...]:
        """Each of them, to be passed on."""
        return (self.status, self.alive, *(descriptor for _, descriptor in self.etc))


def command(job: Job, programs: Programs, held: Descriptors) -> list[str]:
    """The words of one run."""
    entered = () if programs.unshare is None else entering(programs.unshare)
    return [
        *entered,
        programs.bwrap,
        *_apart(programs, held),
        *_root(held),
        *_mounts(job),
        *_inside(job, programs),
    ]


def _apart(programs: Programs, held: Descriptors) -> Iterator[str]:
    if programs.unshare is None:
        user = str(SANDBOX_ID)
        yield from ("--unshare-user", "--uid", user, "--gid", user, "--cap-drop", "ALL")
    else:
        yield from ("--cap-drop", "ALL")
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):  # for setpriv, which gives them up
            yield from ("--cap-add", capability)
    yield from (f"--unshare-{name}" for name in _NAMESPACES)
    yield from ("--die-with-parent", "--new-session", "--hostname", leftover.label(), "--clearenv")
    for name, value in ENVIRONMENT.items():
        yield from ("--setenv", name, value)
    yield from ("--json-status-fd", str(held.status), "--sync-fd", str(held.alive))


def _root(held: Descriptors) -> Iterator[str]:
    """The host's programs for reading, little of ``/etc``, and nothing that lasts."""
    yield from ("--ro-bind", "/usr", "/usr")
    for name in _PROGRAMS:
        path = f"/{name}"
        if Path(path).is_symlink():
            yield from ("--symlink", os.readlink(path), path)  # noqa: PTH115 (as it is written)
        elif Path(path).is_dir():
            yield from ("--ro-bind", path, path)
    yield from ("--perms", "0755", "--dir", "/etc")
    for name, descriptor in held.etc:
        yield from ("--perms", "0444", "--file", str(descriptor), f"/etc/{name}")
    if os.access(_ALTERNATIVES, os.R_OK | os.X_OK):
        yield from ("--ro-bind", _ALTERNATIVES, _ALTERNATIVES)
    yield from ("--proc", "/proc", "--perms", "0755", "--dir", "/dev")
    for name in _DEVICES:
        yield from ("--dev-bind", f"/dev/{name}", f"/dev/{name}")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        yield from ("--symlink", f"/proc/self/fd/{number}", f"/dev/{name}")
    yield from ("--symlink", "/proc/self/fd", "/dev/fd")
    for folder in ("/tmp", "/dev/shm"):  # noqa: S108 - the sandbox's own
        yield from ("--perms", "1777", "--size", str(TEMPORARY_BYTES), "--tmpfs", folder)


def _mounts(job: Job) -> Iterator[str]:
    """Outer folders first; after them nothing of the root can be written."""
    for mount in sorted(job.mounts, key=lambda mount: mount.target):
        for parent in reversed(Path(mount.target).parents[:-1]):  # else they are open to root alone
            yield from ("--perms", "0755", "--dir", str(parent))
        yield from _bound(mount)
    for folder in job.masked:
        yield from ("--perms", "0555", "--size", str(MASK_BYTES), "--tmpfs", folder, "--remount-ro", folder)
    yield from ("--remount-ro", "/")


def _bound(mount: Mount) -> tuple[str, str, str]:
    return "--ro-bind" if mount.read_only else "--bind", mount.source, mount.target


def _inside(job: Job, programs: Programs) -> Iterator[str]:
    yield from ("--chdir", "/", "--")
    if programs.setpriv is not None:
        user = str(SANDBOX_ID)
        yield from (programs.setpriv, "--reuid", user, "--regid", user, "--clear-groups")
        yield from ("--inh-caps=-all", "--bounding-set=-all")
    yield from ("/bin/sh", "-c", _LIMITS, "limits", str(job.limits.memory_mb * 1024), str(job.limits.pids))
    yield from (job.workdir, *job.command)
