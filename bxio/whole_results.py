"""The uncut text of results that were too long for the model, beside the session's log (spec 2.3, step 5).

It is the session's own log area (0700, files 0600) and holds what the log would hold: nothing is masked, and
nothing here ever goes back into a request by itself. The files of a session are bounded; the oldest go first.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bxio.folders import make_private, sync_folder, write_whole

FOLDER = "results"
MOST_BYTES = 200_000_000
"""Of all results of one session; the newest one stays even when it is larger."""
MOST_FILES = 2_000
_PLAIN = re.compile(r"t[0-9]{1,9}c[0-9]{1,9}")
"""A call's id as the box makes it; every other one is a name that a stranger may have chosen."""


@dataclass(frozen=True, slots=True, order=True)
class WholeResult:
    """A kept result: when it was written (nanoseconds since 1970), its bytes and its file."""

    written_ns: int
    size: int
    path: Path


def keep(folder: Path, call: str, text: str, *, most_bytes: int = MOST_BYTES) -> Path:
    """Keep the whole result of ``call`` below ``folder``, the session's; on disk when this returns its file.

    The same call's earlier one is replaced. Half a character in the text is kept as a question mark. Raises
    ``OSError``; then nothing was kept, and what was there is as before.
    """
    results = folder / FOLDER
    make_private(results)
    path = place(folder, call)
    try:
        write_whole(path, text.encode("utf-8", "replace"))
    finally:
        _drop_half_written(results)
    _make_room(results, path, most_bytes)
    return path


def place(folder: Path, call: str) -> Path:
    """The file that the whole result of ``call`` has, or would have."""
    plain = call if _PLAIN.fullmatch(call) else f"x{hashlib.sha256(_bytes(call)).hexdigest()[:32]}"
    return folder / FOLDER / f"{plain}.txt"


def kept(folder: Path) -> list[WholeResult]:
    """The whole results of a session, the oldest first; empty when there are none. Raises ``OSError``."""
    return sorted(_found(folder / FOLDER))


def _bytes(call: str) -> bytes:
    return call.encode("utf-8", "surrogatepass")


def _found(results: Path) -> Iterator[WholeResult]:
    try:
        entries = os.scandir(results)
    except FileNotFoundError:
        return
    with entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                if entry.name.endswith(".txt") and entry.is_file(follow_symlinks=False):
                    found = entry.stat(follow_symlinks=False)
                    yield WholeResult(found.st_mtime_ns, found.st_size, results / entry.name)


def _drop_half_written(results: Path) -> None:
    """A session has one writer, so what is half written now was left by a kill or a full disk."""
    for half in results.glob(".*.new"):
        half.unlink(missing_ok=True)


def _make_room(results: Path, newest: Path, most_bytes: int) -> None:
    others = sorted((each for each in _found(results) if each.path != newest), reverse=True)
    used, gone = newest.lstat().st_size, False
    for number, each in enumerate(others, start=2):
        used += each.size
        if used > most_bytes or number > MOST_FILES:
            each.path.unlink(missing_ok=True)
            gone = True
    if gone:
        sync_folder(results)
