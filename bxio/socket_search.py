"""A socket in a folder that a tool is about to be shown: it can be spoken to through any mount (spec 2.5).

Each entry of the folder itself is looked at, one after the other, so that many cost no memory: about half a
millisecond a thousand. Below it, where a walk could take minutes, the kernel's own list of bound sockets says
what there is. That list knows the network namespace of the box alone: a socket that a container of somebody
else's listens on is found in the folder itself, not below it.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from bxcore.grants.folders import below

LOOK_S = 2.0
"""For the entries of one folder; over a million are looked at in it."""
BOUND = "/proc/net/unix"
_PATH = 7
"""The column of ``BOUND`` that has the path, where there is one; an abstract name begins with ``@``."""


def socket_in(folder: Path) -> str | None:
    """A socket's path below ``folder``, which is a real path; None when there is none.

    Raises ``TimeoutError`` when there are too many entries to look at, any other ``OSError`` of the folder.
    """
    return _entry(folder) or _listed(folder)


def _entry(folder: Path) -> str | None:
    until_s = time.monotonic() + LOOK_S
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file() or entry.is_dir() or entry.is_symlink():  # known without a look at the disk
                if time.monotonic() > until_s:
                    raise TimeoutError
            elif _is_socket(entry):
                return entry.name
    return None


def _is_socket(entry: os.DirEntry[str]) -> bool:
    try:
        return stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _listed(folder: Path) -> str | None:
    """A bound one, by where its path really leads."""
    real = (os.path.realpath(path) for path in _bound())
    return next((os.path.relpath(path, folder) for path in real if below(path, str(folder))), None)


def _bound() -> Iterator[str]:
    try:
        lines = Path(BOUND).read_text("utf-8", "surrogateescape").splitlines()
    except OSError:  # another system's kernel
        return
    paths = {columns[_PATH] for line in lines if len(columns := line.split(maxsplit=_PATH)) > _PATH}
    yield from (path for path in sorted(paths) if path.startswith("/"))
