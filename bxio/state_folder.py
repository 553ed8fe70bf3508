"""The state folder: made with tight modes, its schema version checked before anything is read (spec 5.4)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from bxcore.errors import SentenceError, system_reason
from bxio.folders import write_whole

SCHEMA = 1
"""The version of the state folder that this program reads and writes."""

_SCHEMA_FILE = "schema"
_OTHERS = 0o077


class StateFolderError(SentenceError):
    """The state folder cannot be used; ``sentence`` says which, why and what to do."""


def make_folder(folder: Path) -> None:
    """Make a private folder (mode 0700) with its parents, or take the one that is there if it is ours.

    Raises ``StateFolderError`` when it cannot be made, is no folder, or belongs to someone else.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except FileExistsError:
        raise StateFolderError(f"{folder} is not a folder; move it away or choose another one") from None
    except OSError as error:
        raise StateFolderError(
            f"{folder} cannot be made: {system_reason(error)}; choose another folder"
        ) from None
    if status.st_uid != os.getuid():
        raise StateFolderError(f"{folder} belongs to user {status.st_uid}; choose a folder of your own")
    if stat.S_IMODE(status.st_mode) & _OTHERS:
        _tighten(folder)


def open_state(folder: Path) -> None:
    """Make the state folder ready: private, writable, of a schema version that this program knows.

    Raises ``StateFolderError`` for a read-only folder and for a state of a newer version.
    """
    make_folder(folder)
    found = _read_schema(folder / _SCHEMA_FILE)
    if found is None:
        _write_schema(folder)
    elif found != SCHEMA:
        raise StateFolderError(
            f"{folder} has schema version {found} and this boxmaker knows {SCHEMA}; "
            "install the version that wrote it"
        )
    elif not os.access(folder, os.W_OK):
        raise StateFolderError(f"{folder} is read-only; make it writable for this user")


def _tighten(folder: Path) -> None:
    try:
        folder.chmod(0o700)
    except OSError as error:
        raise StateFolderError(
            f"{folder} is open to other users and cannot be closed: {system_reason(error)}"
        ) from None


def _read_schema(file: Path) -> str | int | None:
    try:
        text = file.read_text("ascii", errors="replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StateFolderError(f"{file} cannot be read: {system_reason(error)}") from None
    return int(text) if text.isdecimal() and len(text) < 10 else repr(text[:20])  # noqa: PLR2004 (a version is short)


def _write_schema(folder: Path) -> None:
    try:
        write_whole(folder / _SCHEMA_FILE, f"{SCHEMA}\n".encode("ascii"))
    except OSError as error:
        raise StateFolderError(
            f"{folder} cannot be written: {system_reason(error)}; "
            "make it writable for this user or free space"
        ) from None
