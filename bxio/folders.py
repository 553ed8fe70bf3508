"""Private folders and files that are whole or absent, also after a power loss."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

_OURS = 0o600


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
    put_in_place(write_beside(path, data), path)


def beside(path: Path) -> Path:
    """Where what is to take a file's place is written first; a crash may leave it there."""
    return path.with_name(f".{path.name}.new")


def write_beside(path: Path, data: bytes, mode: int = _OURS) -> Path:
    """Write what is to take a file's place, on disk when this returns; an ``OSError`` leaves none."""
    new = beside(path)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if mode != _OURS:
                os.fchmod(descriptor, mode)  # the umask has no say in what a file had before
            os.fsync(descriptor)
    except OSError:
        discard(new)
        raise
    return new


def put_in_place(new: Path, path: Path) -> None:
    """Rename what ``write_beside`` wrote, lasting; an ``OSError`` of the rename leaves the old file alone."""
    try:
        new.rename(path)
    except OSError:
        discard(new)
        raise
    sync_folder(path.parent)


def discard(new: Path) -> None:
    """Remove what was written beside a file, if it is there and can be."""
    with suppress(OSError):
        new.unlink()
