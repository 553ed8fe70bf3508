"""Private folders and files that are whole or absent, also after a power loss."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Put a folder's entries on disk: a new, renamed or removed file is only lasting after this."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_private(folder: Path) -> None:
    """Make a folder (0700) with its parents, lasting; raises ``OSError``, also when it is open to others."""
    if not folder.is_dir():
        if not folder.parent.is_dir():
            make_private(folder.parent)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        sync_folder(folder.parent)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise PermissionError(0, "the folder must be ours alone, with mode 0700", str(folder))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file (0600) so that a reader, or a crash, finds the old one or the whole new one."""
    beside = path.with_name(f".{path.name}.new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)
    beside.rename(path)
    sync_folder(path.parent)
