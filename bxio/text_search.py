"""Which files of the box hold a text, to name those that nothing is taken out of (spec 4.2).

Links are not followed, and no file of SQLite is opened: closing it would free its one connection's locks.
What tools wrote is among them, so depth and size may be anything.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from bxcore.errors import system_reason
from bxcore.forgetting import Needle, values

PIECE = 8_000_000
"""Bytes that are read at once."""
OVERLAP = 64_000
"""Bytes of a piece that are looked at again with the next one: a text may stand across the two."""
MOST_BYTES = 1_000_000_000
"""Of all files that are looked through, some seconds' worth; what is left then is said."""
_ESCAPED = 12
"""Bytes that a character of a text may take in JSON."""


def holding(
    folders: Iterable[Path], needle: Needle, passed: Callable[[Path], bool], most_bytes: int = MOST_BYTES
) -> Iterator[tuple[Path, str]]:
    """Each file below the folders that holds it, but those that are ``passed`` over.

    The second value says why a file or folder was not read and so may hold it; else it is empty.
    """
    for entry, problem in _files(folders, passed):
        path = Path(entry)
        if isinstance(entry, str):
            yield path, problem
            continue
        try:
            most_bytes -= entry.stat(follow_symlinks=False).st_size
            if most_bytes < 0:
                yield path, "there is too much to look through"
            elif holds(path, needle):
                yield path, ""
        except FileNotFoundError:
            continue
        except OSError as error:
            yield path, system_reason(error)


def _files(
    folders: Iterable[Path], passed: Callable[[Path], bool]
) -> Iterator[tuple[os.DirEntry[str] | str, str]]:
    """Plain files, and folders that cannot be read with the reason. No recursion: a tool may nest deep."""
    waiting = [str(folder) for folder in folders]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError as error:
            yield folder, system_reason(error)
            continue
        for entry in entries:
            if ".sqlite" in entry.name or passed(Path(entry.path)):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry, ""


def holds(path: Path, needle: Needle) -> bool:
    """Whether a file holds the text, as UTF-8 or JSON. Raises ``OSError``; a link is not followed."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    overlap = max(OVERLAP, _ESCAPED * len(needle.text))
    with os.fdopen(descriptor, "rb") as file:
        before = b""
        while piece := file.read(PIECE):
            if needle.is_in(before + piece):
                return True
            before = (before + piece)[-overlap:]
    return False


def holds_in_values(path: Path, needle: Needle) -> bool:
    """Whether it stands in a value of a file with a JSON text a line, not in the name of a field.

    Raises ``OSError``.
    """
    lines = path.read_text("utf-8", "replace").splitlines()
    return any(needle.stands_in(text) for line in lines for text in values(line))
