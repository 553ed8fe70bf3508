"""A unix socket that only its owner reaches, from the first instant (security notes 5)."""

from __future__ import annotations

import os
import socket
import stat
import struct
from pathlib import Path

from bxcore.errors import SentenceError, system_reason
from bxcore.paths import socket_problem
from bxio.instance_lock import InstanceLock

BACKLOG = 64


class SocketError(SentenceError):
    """The socket cannot be made; ``sentence`` says why and what to do."""


def listen(path: Path, lock: InstanceLock) -> socket.socket:
    """Listen at ``path``; a stale socket there is removed, which only the instance's lock allows.

    Raises ``SocketError``.
    """
    problem = socket_problem(path)
    if problem is not None:
        raise SocketError(problem)
    try:
        _make_folder(path.parent)
        _remove_stale(path, lock)
        return _bound(path)
    except OSError as error:
        reason = system_reason(error)
        raise SocketError(f"the control socket {path} cannot be made: {reason}") from None


def _make_folder(folder: Path) -> None:
    """A folder that is open to others is not ours to close: it may be ``/run``, and this user root."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise SocketError(f"{folder} is not a folder of this user's; choose another place for the socket")
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise SocketError(
            f"{folder} is open to other users; make it mode 0700, or choose a folder of its own"
        )


def _remove_stale(path: Path, lock: InstanceLock) -> None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(status.st_mode):
        raise SocketError(f"{path} is there and is no socket; move it away")
    if not lock.held:
        raise SocketError(f"{path} belongs to whoever holds the state folder's lock")
    path.unlink()


def _bound(path: Path) -> socket.socket:
    """Bind with mode 0600. Linux gives the file the unbound socket's own mode, so no umask need change.

    A umask is the whole process's: changing it here would touch files that other threads make meanwhile.
    """
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.fchmod(sock.fileno(), 0o600)
        sock.bind(str(path))
        sock.listen(BACKLOG)
    except BaseException:
        sock.close()
        raise
    return sock


def remove(path: Path, lock: InstanceLock) -> None:
    """Take our socket's file away; whoever does not hold the lock leaves it."""
    if lock.held:
        path.unlink(missing_ok=True)


def peer_is_ours(sock: socket.socket) -> bool:
    """Whether the other end runs as this user or as root, as the kernel noted when it connected."""
    size = struct.calcsize("3i")
    _, uid, _ = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return uid in {0, os.geteuid()}
