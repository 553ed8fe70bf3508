"""One process a state folder: a lock that dies with its process, and says who holds it (spec 5.4)."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from bxcore.errors import SentenceError


class AlreadyRunningError(SentenceError):
    """Another process holds the folder; ``pid`` is None when it could not be read."""

    def __init__(self, folder: Path, pid: int | None) -> None:
        who = "another boxmaker" if pid is None else f"another boxmaker (pid {pid})"
        super().__init__(f"{who} runs on {folder}; stop it first, or choose another folder with --home")
        self.pid = pid


class InstanceLock:
    """Holds ``<folder>/lock`` from ``take`` until ``release`` or the process's end, a ``kill -9`` too."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock; only then may a stale socket be removed."""
        return self._descriptor is not None

    def take(self) -> None:
        """Take the lock, or raise ``AlreadyRunningError`` at once. ``OSError``: the folder is read-only."""
        descriptor = os.open(
            self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = _read_pid(descriptor)
            os.close(descriptor)
            raise AlreadyRunningError(self._folder, pid) from None
        self._descriptor = descriptor
        with contextlib.suppress(OSError):  # the number is for whoever comes second; the lock holds without
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)

    def release(self) -> None:
        """Give the lock back. The file stays: removing it would let two processes lock two files."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
            os.close(descriptor)


def _read_pid(descriptor: int) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        return int(os.pread(descriptor, 32, 0))
    return None
